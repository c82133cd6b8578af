"""How runs of `index` and `sync`, their forecasts and their failures look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli.costs import cost_table, has_spent, spent
from hoptrail.cli.output import grid, printable
from hoptrail.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

_SHOWN = 20
_CAUSES = 3
_DOCUMENTS = 5
_NEXT = "hoptrail index --retry-failed reads these alone again; the other passages are kept"
_SIGNS = {"added": "+", "replaced": "~", "deleted": "-"}
_NAMED = 3


def forecast_table(forecast: dict[str, Any]) -> Table:
    """Return the forecast of `--dry-run` as a table."""
    pages = ["scanned_pages"] if forecast.get("scanned_pages") else []
    return cost_table(forecast, *pages, "chunks")


def show_report(report: dict[str, Any], console: Console) -> None:
    """Print what an index run did, then name what it left out."""
    table = grid()
    documents = ", ".join(
        f"{count:,} {kind}"
        for kind, count in report["documents"].items()
        if count and kind != "skipped"  # these are listed below
    )
    table.add_row("documents", documents or "none")
    for name in ("chunks", "entities", "relations"):
        table.add_row(name, f"{report[name]:,}")
    if report["read"]["by_model"]:
        table.add_row("read", _read(report["read"]))
    for imported in report["imported"]:
        table.add_row("imported", _imported(imported))
    usage = report["usage"]
    if has_spent(usage):
        table.add_row("spent", spent(usage))
    stages = ", ".join(f"{name} {value:.1f}" for name, value in report["seconds"].items())
    table.add_row("seconds", stages)
    console.print(table)
    for note in report["notes"]:
        console.print(printable(note), style="yellow")
    list_skipped(console, [(row["path"], row["reason"]) for row in report["skipped"]])
    _list_gone(console, report["gone"])
    _list_duplicates(console, report["duplicates"])
    for line in failed_lines(report["failed"], report["chunks"]):
        console.print(line, style="yellow", soft_wrap=True)


def _read(read: dict[str, int]) -> str:
    told = f"{counted(read['by_model'], 'passage')} read by the model"
    return f"{told}, {read['by_rules']:,} by rules"


def _imported(index: dict[str, Any]) -> str:
    told = [
        f"{index[name]:,} {name}" for name in ("entities", "relations", "communities", "reports")
    ]
    if index["untyped_entities"]:
        named = f"{index['untyped_entities']:,} entities without type"
        told.append(f"{named} that only {index['incomplete_relations']:,} relations name")
    return ", ".join(told)


def _list_gone(console: Console, doc_ids: list[str]) -> None:
    if doc_ids:
        heading = (
            f"{counted(len(doc_ids), 'document')} of files that are gone: kept; "
            "hoptrail sync FOLDER deletes them"
        )
        _list_some(console, heading, doc_ids, soft_wrap=True)


def _list_duplicates(console: Console, groups: list[list[str]]) -> None:
    if groups:
        heading = (
            f"{counted(sum(map(len, groups)), 'document')} with the text of another: all are "
            "kept, and shown once among the nearest passages"
        )
        _list_some(console, heading, [" = ".join(ids) for ids in groups], soft_wrap=True)


def list_skipped(console: Console, rows: list[tuple[str, str]]) -> None:
    """Print what was skipped: a line for each reason, with the files that it met."""
    by_reason: dict[str, list[str]] = {}
    for path, reason in rows:
        by_reason.setdefault(reason, []).append(path)
    if rows:
        lines = [f"{_first(paths, _NAMED)}: {reason}" for reason, paths in by_reason.items()]
        _list_some(console, f"skipped: {len(rows):,}", lines)


def _first(names: Sequence[str], count: int) -> str:
    more = f", and {len(names) - count:,} more (--json lists all)"
    return printable(", ".join(names[:count])) + (more if len(names) > count else "")


def _list_some(
    console: Console, heading: str, lines: list[str], *, soft_wrap: bool = False
) -> None:
    """Print the first of some lines, and how many there are besides."""
    console.print(heading, style="yellow")
    for line in lines[:_SHOWN]:
        console.print(f"  {printable(line)}", soft_wrap=soft_wrap)
    if len(lines) > _SHOWN:
        console.print(f"  and {len(lines) - _SHOWN:,} more (--json lists all)")


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
    told = counted(read["failed"], "passage")
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
    return _first(named, _DOCUMENTS)


def _with_places(doc_id: str, places: Sequence[str]) -> str:
    if not places:
        return doc_id
    return f"{doc_id} ({'; '.join(places[:3])}{'; ...' if len(places) > 3 else ''})"


def show_plan(plan: dict[str, Any], console: Console) -> None:
    """Print what a sync would do, a document a line, and what it would take."""
    for kind, sign in _SIGNS.items():
        for doc_id in plan[kind]:
            console.print(f"{sign} {printable(doc_id)}", soft_wrap=True)
    for moved in plan["moved"]:
        line = f"> {moved['former_id']} is {moved['doc_id']} from then on"
        console.print(printable(line), soft_wrap=True)
    told = [f"{len(plan[kind]):,} {kind}" for kind in (*_SIGNS, "moved")]
    console.print(", ".join([*told, f"{plan['unchanged']:,} unchanged"]) + "; nothing was changed")
    if _takes_something(plan["forecast"]):
        console.print(forecast_table(plan["forecast"]))
    list_skipped(console, [(row["path"], row["reason"]) for row in plan["skipped"]])


def _takes_something(forecast: dict[str, Any]) -> bool:
    return bool(forecast["calls"] or forecast["embedding"]["calls"] or forecast["chunks"])


def round_line(report: dict[str, Any], seconds: float) -> str:
    """Return one round in one line, without the time of day."""
    counts = report["documents"]
    told = [f"{counts[kind]:,} {kind}" for kind in (*_SIGNS, "moved") if counts[kind]]
    told.append(f"{counts['unchanged']:,} unchanged")
    line = f"{', '.join(told)} ({seconds:.1f} s)"
    skipped = report["skipped"]
    if skipped:
        named = "; ".join(f"{row['path']}: {row['reason']}" for row in skipped[:_NAMED])
        more = f"; and {len(skipped) - _NAMED:,} more" if len(skipped) > _NAMED else ""
        line += f"; {counted(len(skipped), 'file')} skipped: {named}{more}"
    return printable(" ".join(line.split()))
