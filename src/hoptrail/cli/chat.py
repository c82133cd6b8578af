"""`hoptrail chat`: a conversation in which a question may refer to earlier ones."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.core.types import Answer

_HELP = (
    "Ask away. /trail shows the last trail again, /help shows this.\n"
    "/filter author = A and date >= 2024-01-01 answers from these documents alone,\n"
    "/filter off from all again.\n"
    "Ctrl-C stops an answer; /quit or Ctrl-D ends the conversation."
)
_STOPPED = "stopped: the question was not answered and is not part of the conversation"


def chat(
    kb: options.KnowledgeBase,
    thread: Annotated[
        str | None,
        typer.Option("--thread", metavar="ID", help="Conversation to continue or to begin."),
    ] = None,
    preset: options.Preset = None,
    model: options.Models = None,
    filter: options.Filter = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Hold a conversation about the documents.

    The thread is kept beside the knowledge base and can be continued by its id.
    """
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, models=model, filters=filter, preset=preset, seed=seed)

    from shlex import quote
    from uuid import uuid4

    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import warn

    name = thread or uuid4().hex[:8]
    try:
        with Hoptrail.open(kb, **context) as hoptrail:
            warn(f"thread {name}\n{_HELP}")
            _converse(hoptrail, name, as_json)
    finally:
        warn(f"to continue: hoptrail chat --kb {quote(kb)} --thread {quote(name)}")


def _converse(hoptrail: Hoptrail, thread: str, as_json: bool) -> None:
    last: Answer | None = None
    chosen: dict[str, Any] = {}
    read = _typed_line if _is_typed() else _piped_line
    while (line := read()) is not None:
        if line in ("/quit", "/exit"):
            return
        if line == "/trail":
            _show_trail(last and hoptrail.without_deleted(last))
        elif line.split()[:1] == ["/filter"]:
            chosen = _with_filter(hoptrail, line.removeprefix("/filter").strip(), chosen, as_json)
        elif line == "/help":
            _note(_HELP)
        elif line.startswith("/"):
            _note(f"unknown command {line.split()[0]}\n{_HELP}")
        elif line:
            last = _turn(hoptrail, thread, line, as_json, chosen) or last


def _with_filter(
    hoptrail: Hoptrail, text: str, chosen: dict[str, Any], as_json: bool
) -> dict[str, Any]:
    """Return the choices for the next questions with this filter; as they were if it is wrong."""
    from hoptrail.cli.failures import report_error
    from hoptrail.core.errors import HoptrailError

    if not text:
        _note(f"filter: {chosen.get('filter') or 'as at the start'}")
        return chosen
    if text == "off":
        _note("filter: none, all documents")
        return {**chosen, "filter": ""}
    try:
        hoptrail.retriever("bm25", filter=text)
    except HoptrailError as error:
        report_error(error, as_json)
        return chosen
    _note(f"filter: {text}; what other answers said is not taken into account")
    return {**chosen, "filter": text}


def _turn(
    hoptrail: Hoptrail, thread: str, line: str, as_json: bool, chosen: dict[str, Any]
) -> Answer | None:
    """Answer one line; an error or Ctrl-C ends the turn, not the conversation.

    Raises:
        ModelKeyError: If the model's key is missing or refused.
    """
    from hoptrail.cli.ask import answer_with_status, print_answer
    from hoptrail.cli.failures import report_error
    from hoptrail.cli.stdin import read_question
    from hoptrail.core.errors import HoptrailError, ModelKeyError

    try:
        question = read_question(line) if line != "-" else line
        answer = answer_with_status(hoptrail, question, thread_id=thread, **chosen)
    except ModelKeyError:
        raise  # no further question would fare better
    except HoptrailError as error:
        report_error(error, as_json)
        return None
    except KeyboardInterrupt:
        if not _is_typed():
            raise
        _note(_STOPPED)
        return None
    print_answer(answer, as_json)
    return answer


def _is_typed() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _typed_line() -> str | None:
    """Return what was typed, with the keys for editing and for earlier lines; None at the end."""
    import contextlib

    with contextlib.suppress(ImportError):  # Windows edits lines by itself
        import readline  # noqa: F401
    sys.stdout.write("\n")
    try:
        return input("? ").strip()
    except EOFError:
        _note("")  # Ctrl-D leaves the prompt's line open
        return None
    except KeyboardInterrupt:
        _note("\n/quit or Ctrl-D ends")
        return ""
    except UnicodeDecodeError:
        return _not_utf8()


def _piped_line() -> str | None:
    if sys.stdin.isatty():
        # Answers go to a file or another program: the prompt must not.
        sys.stderr.write("\n? ")
        sys.stderr.flush()
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        return _not_utf8()
    return line.strip() if line else None


def _not_utf8() -> str:
    _note("that line is not valid UTF-8")
    return ""


def _show_trail(answer: Answer | None) -> None:
    from hoptrail.cli.answer_view import trail_tree
    from hoptrail.cli.output import notes

    if answer is None:
        _note("no question was answered yet")
        return
    notes().print(trail_tree(answer) or "the last answer has no trail")


def _note(message: str) -> None:
    from hoptrail.cli.output import warn

    warn(message)
