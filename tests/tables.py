"""Tables for tests, as if passages told their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoptrail.core.tables.table import PlacedRow, Table
from hoptrail.core.types import Chunk, TablePart, TableRow
from hoptrail.core.types.document import RowKind


def table_of(
    title: str,
    labels: Sequence[str],
    *rows: Sequence[str],
    kinds: Mapping[int, RowKind] | None = None,
    sections: Mapping[int, str] | None = None,
    above: str = "",
) -> Table:
    """Return the first table of the document `d/<title>`, each row in a passage of its own.

    Args:
        title: The document's.
        labels: The heads of the columns.
        rows: Their cells.
        kinds: Of rows that sum others up, by their place.
        sections: Lines that rows stand under, by the place of the row.
        above: What stands above the table.
    """
    placed = [
        PlacedRow(
            TableRow(0, 1, tuple(row), (kinds or {}).get(at, "row"), (sections or {}).get(at, "")),
            f"{title}-{at}",
            f"row {at + 2}",
        )
        for at, row in enumerate(rows)
    ]
    return Table(f"d/{title}", title, 1, "", labels, placed, above)


def labelled_chunk(doc_id: str, title: str, text: str) -> Chunk:
    """Return a passage of rows as text ("Name: Ann; Role: Nurse"), with the table that they are.

    Args:
        doc_id: The document's id, and the passage's.
        title: The document's title.
        text: A row a line; lines without a label belong to no table.
    """
    rows: list[tuple[int, int, dict[str, str]]] = []
    start = 0
    for line in text.split("\n"):
        parts = [part.partition(": ") for part in line.split("; ")]
        if len(parts) > 1 and all(colon for _, colon, _ in parts):
            cells = {label: cell for label, _, cell in parts}
            rows.append((start, start + len(line), cells))
        start += len(line) + 1
    labels = tuple(dict.fromkeys(label for *_, cells in rows for label in cells))
    told = tuple(
        TableRow(begin, end, tuple(cells.get(label, "") for label in labels))
        for begin, end, cells in rows
    )
    parts_of = (TablePart(1, "", labels, told),) if told else ()
    return Chunk(doc_id, doc_id, title, text, 0, len(text), tables=parts_of)
