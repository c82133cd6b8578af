"""How an index run and its forecast look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli.cost_view import cost_table, has_spent, spent
from hoptrail.cli.failed_passages import failed_lines
from hoptrail.cli.output import counted, grid, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_SHOWN = 20


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
    list_left_out(console, "skipped", [(row["path"], row["reason"]) for row in report["skipped"]])
    _list_gone(console, report["gone"])
    _list_duplicates(console, report["duplicates"])
    for line in failed_lines(report["failed"], report["chunks"]):
        console.print(line, style="yellow", soft_wrap=True)


def _read(read: dict[str, int]) -> str:
    told = f"{counted(read['by_model'], 'passages')} read by the model"
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
    if not doc_ids:
        return
    console.print(
        f"{counted(len(doc_ids), 'documents')} of files that are gone: kept; "
        "hoptrail sync FOLDER deletes them",
        style="yellow",
    )
    for doc_id in doc_ids[:_SHOWN]:
        console.print(f"  {printable(doc_id)}", soft_wrap=True)
    if len(doc_ids) > _SHOWN:
        console.print(f"  and {len(doc_ids) - _SHOWN:,} more (--json lists all)")


def _list_duplicates(console: Console, groups: list[list[str]]) -> None:
    if not groups:
        return
    console.print(
        f"{counted(sum(map(len, groups)), 'documents')} with the text of another: all are kept, "
        "and shown once among the nearest passages",
        style="yellow",
    )
    for ids in groups[:_SHOWN]:
        console.print(f"  {' = '.join(map(printable, ids))}", soft_wrap=True)
    if len(groups) > _SHOWN:
        console.print(f"  and {len(groups) - _SHOWN:,} more (--json lists all)")


def list_left_out(console: Console, what: str, rows: list[tuple[str, str]]) -> None:
    """Print what was left out, by name and reason."""
    if not rows:
        return
    console.print(f"{what}: {len(rows):,}", style="yellow")
    for name, reason in rows[:_SHOWN]:
        console.print(f"  {printable(name)}: {printable(reason)}")
    if len(rows) > _SHOWN:
        console.print(f"  and {len(rows) - _SHOWN:,} more (--json lists all)")
