"""Feedback: the commands below `hoptrail feedback`, and those of a conversation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.output import emit_json, emit_text, printable, results, tell, warn
from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.core.text import counted

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.core.types import Answer, Feedback, SavedAnswer, SavedNote, Verdict

_MARKS = {"good": "good", "bad": "bad", None: "-"}
_LONGEST_SHOWN = 300
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many at most.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="As list or saved shows it.")]


def list_feedback(
    kb: options.KnowledgeBase,
    good: Annotated[bool, typer.Option("--good", help="Only of answers called good.")] = False,
    bad: Annotated[bool, typer.Option("--bad", help="Only of answers called bad.")] = False,
    limit: Limit = 50,
    as_json: options.AsJson = False,
) -> None:
    """List what readers said of answers, the latest first."""
    from hoptrail.api import Hoptrail

    if good and bad:
        raise typer.BadParameter("give --good or --bad, or neither for all")
    with Hoptrail.open(kb) as hoptrail:
        verdict: Verdict | None = "good" if good else "bad" if bad else None
        found = hoptrail.feedback_entries(verdict, limit=limit)
        counts = hoptrail.feedback_counts()
    if as_json:
        emit_json({"feedback": [one.to_contract() for one in found], "counts": counts})
        return
    if not any(counts.values()):
        warn("no feedback is kept; /good and /bad in chat, and the page, take it")
        return
    console = results()
    for one in found:
        console.print(*_lines(one), sep="\n")
    total = ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items()) if number)
    warn(f"{counted(sum(counts.values()), 'entry')}: {total}")


def export_feedback(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSONL to write, or - for stdout.")],
    kb: options.KnowledgeBase,
    as_json: options.AsJson = False,
) -> None:
    """Write all feedback with questions, answers and trails as JSONL."""
    from hoptrail.api import Hoptrail

    with Hoptrail.open(kb) as hoptrail:
        entries = hoptrail.feedback_entries()
    lines = [json.dumps(one.to_contract(), ensure_ascii=False) for one in entries]
    if str(file) == "-":
        emit_text("\n".join(lines))
        return
    try:
        text = "".join(f"{line}\n" for line in lines)
        file.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", path=str(file), hint="choose another file"
        ) from error
    if as_json:
        emit_json({"file": str(file), "entries": len(entries)})
    else:
        warn(f"{counted(len(entries), 'entry')} in {file}")


def list_saved(
    kb: options.KnowledgeBase, limit: Limit = 50, as_json: options.AsJson = False
) -> None:
    """List the answers that readers saved, and which no longer stand."""
    from hoptrail.api import Hoptrail

    with Hoptrail.open(kb) as hoptrail:
        found = hoptrail.saved_answers(limit=limit)
    if as_json:
        emit_json({"saved": [_saved_json(*one) for one in found]})
        return
    if not found:
        warn("no answer is saved; /save in chat and the page save one")
        return
    console = results()
    for saved, note in found:
        console.print(*_saved_lines(saved, note), sep="\n")


def delete_feedback(id: Id, kb: options.KnowledgeBase, as_json: options.AsJson = False) -> None:
    """Delete an entry, or a saved answer, by its id."""
    from hoptrail.api import Hoptrail

    with Hoptrail.open(kb) as hoptrail:
        try:
            hoptrail.delete_feedback(id)
        except UnknownNameError:
            try:
                hoptrail.delete_saved_answer(id)
            except UnknownNameError:
                listing = "hoptrail feedback list, hoptrail feedback saved"
                raise UnknownNameError("entry or saved answer", id, (), listing=listing) from None
    if as_json:
        emit_json({"deleted": id})
    else:
        warn(f"deleted {id}")


FEEDBACK_COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_feedback,
    "export": export_feedback,
    "saved": list_saved,
    "delete": delete_feedback,
}
"""The commands below `hoptrail feedback`, by name."""


def _lines(entry: Feedback) -> list[str]:
    lines = [
        f"{_MARKS[entry.verdict]}  {_short(entry.question)}",
        f"   answer: {_short(entry.answer.text)}",
    ]
    if entry.correction:
        lines.append(f"   right: {_short(entry.correction)}")
    if entry.comment:
        lines.append(f"   comment: {_short(entry.comment)}")
    return [*lines, f"   {entry.updated[:10]}, {printable(entry.reader)}, {entry.id}"]


def _saved_lines(saved: SavedAnswer, note: SavedNote) -> list[str]:
    from hoptrail.core.types.feedback import saved_words

    whom = "for all" if saved.shared else "for its reader alone"
    told = f"   {printable(saved_words(note))}  ({whom}; {saved.id})"
    return [_short(saved.question), f"   {_short(saved.text)}", told]


def _saved_json(saved: SavedAnswer, note: SavedNote) -> dict[str, object]:
    return {"question": saved.question, "text": saved.text, **note.to_json()}


def _short(text: str) -> str:
    return printable(shorten(text, _LONGEST_SHOWN, placeholder=" ..."))


def say_good(hoptrail: Hoptrail, answer: Answer, thread: str, comment: str) -> None:
    """Keep that an answer is good."""
    said: dict[str, Any] = {"verdict": "good", "correction": ""}
    _keep_said(hoptrail, answer, thread, said | ({"comment": comment} if comment else {}))
    tell("kept: the answer is good; hoptrail eval --from-feedback asks the question again")


def say_bad(hoptrail: Hoptrail, answer: Answer, thread: str, correction: str) -> None:
    """Keep that an answer is bad, and the right one where it is given."""
    said: dict[str, Any] = {"verdict": "bad"}
    _keep_said(hoptrail, answer, thread, said | ({"correction": correction} if correction else {}))
    if correction:
        tell(f"kept: the right answer is {correction}; /save gives it to the question from now on")
    else:
        tell("kept: the answer is bad; /bad TEXT also tells the right one")


def say_comment(hoptrail: Hoptrail, answer: Answer, thread: str, comment: str) -> None:
    """Keep a comment on an answer."""
    if not comment:
        warn("say what: /comment TEXT")
        return
    _keep_said(hoptrail, answer, thread, {"comment": comment})
    tell("kept the comment")


def save(hoptrail: Hoptrail, answer: Answer, thread: str, text: str) -> None:
    """Save an answer for its question: the text, else the correction, else the answer itself."""
    known = _said_before(hoptrail, answer, thread)
    words = text or (known.correction if known is not None else "") or None
    saved = hoptrail.save_answer(answer, words)
    if saved.corrected and not saved.stated:
        warn(
            "no passage with these words was found: it stands as long as the old answer's documents"
        )
    elif saved.stated:
        tell(f"stated in {', '.join(saved.documents)}")
    tell(f"saved for {saved.question!r}: {saved.text}; /unsave takes it back")


def unsave(hoptrail: Hoptrail, answer: Answer, thread: str, text: str) -> None:
    """Delete the answer that is saved for the question of an answer."""
    found = hoptrail.saved_answer(answer.standalone_question or answer.question)
    if found is None:
        tell("no answer is saved")
        return
    hoptrail.delete_saved_answer(found[0].id)
    tell("the question is answered from the documents again")


def _said_before(hoptrail: Hoptrail, answer: Answer, thread: str) -> Feedback | None:
    told = (answer.question, answer.text)
    said = hoptrail.feedback_of_thread(thread)
    return next((one for one in said if (one.answer.question, one.answer.text) == told), None)


def _keep_said(hoptrail: Hoptrail, answer: Answer, thread: str, said: dict[str, Any]) -> None:
    """Keep what is said together with what was said of the same answer before."""
    known = _said_before(hoptrail, answer, thread)
    before: dict[str, Any] = {}
    if known is not None:
        before = {name: getattr(known, name) for name in ("verdict", "correction", "comment")}
    hoptrail.feedback(answer, thread_id=thread, **(before | said))
