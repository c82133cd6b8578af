"""`hoptrail feedback`: what readers said of answers, and the answers that they saved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from hoptrail.cli import options
from hoptrail.cli.output import counted, printable

if TYPE_CHECKING:
    from hoptrail.core.types import Feedback, SavedAnswer, SavedNote, Verdict

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
    from hoptrail.cli.output import emit_json, results, warn

    if good and bad:
        raise typer.BadParameter("give --good or --bad, or neither for all")
    with Hoptrail.open(kb) as hoptrail:
        verdict: Verdict | None = "good" if good else "bad" if bad else None
        found = hoptrail.feedback_entries(verdict, limit=limit)
        counts = hoptrail.feedback_counts()
    if as_json:
        emit_json({"feedback": [one.to_contract() for one in found], "counts": counts})
        return
    if not found:
        warn("no feedback is kept; /good and /bad in chat, and the page, take it")
        return
    console = results()
    for one in found:
        console.print(*_lines(one), sep="\n")
    total = ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items()))
    warn(f"{counted(sum(counts.values()), 'entries')}: {total}")


def export_feedback(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSONL to write, or - for stdout.")],
    kb: options.KnowledgeBase,
    as_json: options.AsJson = False,
) -> None:
    """Write all feedback with questions, answers and trails as JSONL."""
    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import emit_json, emit_text, warn
    from hoptrail.core.errors import InputError

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
        warn(f"{counted(len(entries), 'entries')} in {file}")


def list_saved(
    kb: options.KnowledgeBase, limit: Limit = 50, as_json: options.AsJson = False
) -> None:
    """List the answers that readers saved, and which no longer stand."""
    from hoptrail.api import Hoptrail
    from hoptrail.cli.output import emit_json, results, warn

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
    from hoptrail.cli.output import emit_json, warn
    from hoptrail.core.errors import UnknownNameError

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
