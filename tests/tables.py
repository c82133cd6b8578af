"""Tables for tests, as if passages told their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoptrail.core.tables.table import PlacedRow, Table
from hoptrail.core.types import TableRow
from hoptrail.core.types.table import RowKind


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
