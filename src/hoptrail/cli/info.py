"""`hoptrail info`: what a knowledge base holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hoptrail.cli import options
from hoptrail.cli.maintenance import line_of_store
from hoptrail.cli.output import emit, grid, printable
from hoptrail.core.language.stop_words import english_name
from hoptrail.core.text import counted, dollars

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_TYPES_SHOWN = 12
_VALUE_CHARACTERS = 40
_UNFINISHED = (
    "unfinished: indexing was interrupted or is still running; the same command (hoptrail "
    "index or sync) continues it, and answers leave what it added out until then"
)


def info(
    kb: options.KnowledgeBase,
    documents: Annotated[
        bool, typer.Option("--documents", help="Also list every document.")
    ] = False,
    fields: Annotated[
        bool, typer.Option("--fields", help="Also list the fields that --filter may ask for.")
    ] = False,
    tables: Annotated[
        bool, typer.Option("--tables", help="Also list the tables that documents hold.")
    ] = False,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what a knowledge base holds."""
    context = options.context_fields(assignments, seed=seed)

    from hoptrail.api import Hoptrail

    with Hoptrail.open(kb, **context) as hoptrail:
        facts = hoptrail.info(documents=documents, fields=fields, tables=tables)
    emit(facts, _show, as_json=as_json)


def _show(facts: dict[str, Any], console: Console) -> None:
    embedder = facts["embedder"]
    summary = grid()
    summary.add_row("knowledge base", printable(str(facts["name"])))
    for name, held in _contents(facts["counts"]):
        summary.add_row(name, held)
    if facts.get("languages"):
        summary.add_row("languages", printable("; ".join(_languages(facts["languages"]))))
    if embedder is not None:
        summary.add_row("embedder", f"{printable(embedder['name'])}, {embedder['dim']} dimensions")
    updates = counted(facts["generation"], "update")
    summary.add_row("history", f"{updates} so far; stored in file format {facts['format_version']}")
    if facts["communities"]["levels"]:
        summary.add_row("communities", _communities(facts["communities"]))
    if facts["description"]:
        summary.add_row("about", printable(facts["description"]))
    for store in facts.get("stores", ()):
        summary.add_row("server", f"{printable(store['store'])}: {printable(line_of_store(store))}")
    if facts["unpublished_changes"]:
        summary.add_row("state", _UNFINISHED)
    console.print(summary)
    _show_types(facts["schema"], console)
    if facts.get("extractors"):
        console.print("\nextractors", style="bold")
        console.print(_table(facts["extractors"]))
    if facts.get("fields"):
        console.print("\nfields", style="bold")
        console.print(_table([_field_row(*field) for field in facts["fields"].items()]))
    if "tables" in facts:
        _show_tables(facts["tables"], console)
    if facts.get("documents"):
        _show_documents(facts["documents"], console)


def _field_row(name: str, told: dict[str, Any]) -> dict[str, Any]:
    values = ", ".join(" ".join(value.split())[:_VALUE_CHARACTERS] for value in told["values"])
    return {"field": name, "documents": told["documents"], "commonest values": values}


def _show_tables(tables: list[dict[str, Any]], console: Console) -> None:
    """Print a line per table: its document, its name, its rows, and its columns with their kinds.

    Texts are the usual kind, and not told.
    """
    if not tables:
        console.print("\nno document holds a table")
        return
    console.print("\ntables", style="bold")
    console.print(_table([_table_row(table) for table in tables]))


def _table_row(table: dict[str, Any]) -> dict[str, Any]:
    columns = (
        f"{column['label'] or '(no head)'}"
        + (f" ({column['kind']})" if column["kind"] != "text" else "")
        for column in table["columns"]
    )
    named = " · ".join(filter(None, (table["doc_id"], table["name"])))
    return {"table": named, "rows": table["rows"], "columns": ", ".join(columns)}


def _contents(counts: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the lines about what is stored, in words; what is not there is left out."""
    if counts["documents"]:
        passages = counted(counts["chunks"], "passage")
        yield "holds", f"{counted(counts['documents'], 'document')} in {passages}"
    if counts["entities"]:
        relations = counted(counts["relations"], "relation")
        yield "graph", f"{counted(counts['entities'], 'entity')}, joined by {relations}"
    if counts["merges"]:
        yield "merged", f"{counted(counts['merges'], 'name')}; hoptrail merges lists them"


def _languages(told: dict[str, Any]) -> Iterator[str]:
    """Yield a phrase for each language: how many documents, and what rules leave out."""
    for language, facts in told.items():
        named = english_name(language) or language
        left_out = "" if facts["sentences_by_rules"] else " (rules read labels and rows alone)"
        yield f"{named}: {facts['documents']:,}{left_out}"


def _show_documents(documents: list[dict[str, Any]], console: Console) -> None:
    """Print a line per document: its id, to be copied whole, its passages, its title and state.

    An id that would take more than half of the width stands on a line of its own.
    """
    from rich.cells import cell_len
    from rich.text import Text

    ids = [printable(document["doc_id"]) for document in documents]
    room = console.width // 2
    width = max([len("documents"), *(cell_len(one) for one in ids if cell_len(one) <= room)])
    console.print(f"\n{'documents':<{width}}  passages  title", style="bold")
    for shown, document in zip(ids, documents, strict=True):
        line = Text(shown)
        if cell_len(shown) > width:
            console.print(line, soft_wrap=True)
            line = Text()
        line.append(" " * (width - cell_len(line.plain)))
        line.append(f"  {document['chunks']:>8,}  ")
        state = " · ".join(["", *_states(document)])
        title = Text(" ".join(printable(document["title"]).split()))
        title.truncate(
            max(8, console.width - cell_len(line.plain) - cell_len(state)), overflow="ellipsis"
        )
        line.append(title.append(state, "yellow"))
        console.print(line, soft_wrap=True)


def _states(document: dict[str, Any]) -> list[str]:
    """Return what is not as it usually is: no state of a document that was read without cost."""
    states = [document["status"]] if document["status"] != "extracted" else []
    if document["failed"]:
        states.append(f"{document['failed']:,} failed")
    if document["usd"]:
        states.append(dollars(document["usd"]))
    return states


def _communities(told: dict[str, Any]) -> str:
    levels = counted(told["levels"], "level")
    held = f"{told['communities']:,} on {levels}, {told['reports']:,} with a report"
    return f"{held}; out of date: run hoptrail communities" if told["stale"] else held


def _show_types(schema: dict[str, str], console: Console) -> None:
    if not schema:
        return
    rows = [{"type": name, "definition": definition} for name, definition in schema.items()]
    console.print("\nentity types", style="bold")
    console.print(_table(rows[:_TYPES_SHOWN]))
    if len(rows) > _TYPES_SHOWN:
        console.print(f"{len(rows) - _TYPES_SHOWN} more are listed with --json", style="dim")


def _table(rows: list[dict[str, Any]]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    for name, value in rows[0].items():
        align: Literal["left", "right"] = "left" if isinstance(value, str) else "right"
        table.add_column(name.replace("_", " "), overflow="fold", justify=align)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))
