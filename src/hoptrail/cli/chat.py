"""`hoptrail chat`, and where the lines of a conversation come from: a prompt, or a pipe."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoptrail.cli import options
from hoptrail.cli.output import STATUS, is_typed, keys_unseen, warn

if TYPE_CHECKING:
    from prompt_toolkit.history import History

    from hoptrail.cli.conversation import ReadLine
_log = logging.getLogger(__name__)
_MENU_LINES = 6


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
    on_page: Annotated[
        bool, typer.Option("--web", help="Hold it on a page in the browser (hoptrail web).")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Hold a conversation about the documents.

    It is kept beside the knowledge base and can be continued by its id; /threads lists all.
    """
    context = options.context_fields(
        assignments, models=model, filters=filter, preset=preset, seed=seed
    )
    if on_page:
        from hoptrail.cli.web import chat_on_page

        chat_on_page(kb, context, as_json=as_json)
        return

    from uuid import uuid4

    with ExitStack() as cleanup:
        with keys_unseen() if is_typed() else nullcontext():
            from hoptrail.api import Hoptrail
            from hoptrail.cli.conversation import COMMANDS, Conversation
            from hoptrail.core.settings import load_settings

            settings = load_settings()
            STATUS.say(f"opening {kb}")
            hoptrail = cleanup.enter_context(Hoptrail.open(kb, settings=settings, **context))
            conversation = Conversation(
                hoptrail,
                thread or uuid4().hex[:8],
                as_json=as_json,
                filter=context.get("filter"),
            )
            read = line_reader(COMMANDS, keeps_history=settings.chat_history)
        try:
            conversation.hold(read)
        finally:
            if conversation.has_begun:
                warn(f"to continue: {_continuing(kb, conversation.thread, settings.kb)}")


def _continuing(kb: str, thread: str, default: str) -> str:
    from shlex import quote

    place = "" if kb == default else f" --kb {quote(kb)}"
    return f"hoptrail chat{place} --thread {quote(thread)}"


def line_reader(commands: Mapping[str, str], *, keeps_history: bool) -> ReadLine:
    """Return what reads the lines.

    Args:
        commands: What each word with a slash does, for completion.
        keeps_history: Whether lines are kept for later conversations.
    """
    if not is_typed():
        return _piped_line
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.formatted_text import FormattedText
    from prompt_toolkit.patch_stdout import patch_stdout

    session: PromptSession[str] = PromptSession(
        FormattedText([("bold", "? ")]),
        completer=WordCompleter(list(commands), meta_dict=dict(commands), sentence=True),
        history=_history(keeps_history),
        reserve_space_for_menu=_MENU_LINES,
    )

    def typed_line() -> str | None:
        sys.stdout.write("\n")
        try:
            # What a thread prints meanwhile goes above the prompt.
            with patch_stdout(raw=True):
                return session.prompt().strip()
        except EOFError:
            return None
        except KeyboardInterrupt:
            return ""

    return typed_line


def _piped_line() -> str | None:
    if sys.stdin.isatty():
        # Answers go to a file or another program: the prompt must not.
        sys.stderr.write("\n? ")
        sys.stderr.flush()
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        warn("that line is not valid UTF-8")
        return ""
    return line.strip() if line else None


def _history(is_kept: bool) -> History:
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    if is_kept:
        try:
            return FileHistory(private_file(_history_file()))
        except OSError as error:
            _log.warning("lines are not kept: %s", error)
    return InMemoryHistory()


def _history_file() -> Path:
    from platformdirs import user_state_path

    return user_state_path("hoptrail") / "chat_history"


def private_file(path: Path) -> Path:
    """Make a file that only its owner can read, where there is none, and return its path.

    Raises:
        OSError: If it cannot be made, read or written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)
    return path
