"""How passages that the model could not read are told: by cause, with the documents they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli.output import counted, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_CAUSES = 3
_DOCUMENTS = 5
_NEXT = "hoptrail index --retry-failed reads these alone again; the other passages are kept"


def failed_lines(failed: Sequence[dict[str, Any]], passages: int) -> list[str]:
    """Return a line for each cause, with the documents that it met, and what to do next.

    Args:
        failed: As the report of the run has it.
        passages: How many the knowledge base has.
    """
    if not failed:
        return []
    causes = by_cause(failed)
    lines = []
    for rows in causes[:_CAUSES]:
        reason = printable(" ".join(rows[0]["reason"].split()))
        lines.append(f"{len(rows):,} of {passages:,} passages not read by the model: {reason}")
        lines.append(f"  in {_documents(rows)}")
    if len(causes) > _CAUSES:
        others = sum(map(len, causes[_CAUSES:]))
        lines.append(f"and {others:,} more of other causes (--json lists all)")
    return [*lines, _NEXT]


def nothing_read(report: dict[str, Any]) -> dict[str, str] | None:
    """Return the error of a run whose model was given passages and read none, else None."""
    read = report["read"]
    if read["by_model"] or not read["failed"]:
        return None
    told = counted(read["failed"], "passages")
    return {
        "code": "model",
        "message": f"the model read none of {told}",
        "hint": "they are stored, and were read by rules",
    }


def by_cause(failed: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return failed passages in groups of one cause, the largest first.

    What a server or a reader of replies adds behind the first colon may differ.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in failed:
        groups.setdefault(row["reason"].partition(": ")[0], []).append(row)
    return sorted(groups.values(), key=len, reverse=True)


def _documents(rows: Sequence[dict[str, Any]]) -> str:
    places: dict[str, list[str]] = {}
    for row in rows:
        known = places.setdefault(row["doc_id"], [])
        if row["place"] and row["place"] not in known:
            known.append(row["place"])
    named = [_with_places(doc_id, known) for doc_id, known in places.items()]
    more = f", and {len(named) - _DOCUMENTS:,} more (--json lists all)"
    return printable(", ".join(named[:_DOCUMENTS])) + (more if len(named) > _DOCUMENTS else "")


def _with_places(doc_id: str, places: Sequence[str]) -> str:
    if not places:
        return doc_id
    return f"{doc_id} ({'; '.join(places[:3])}{'; ...' if len(places) > 3 else ''})"
