"""The content of a file: a title, and blocks of text with their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hoptrail.core.types import Places, TablePart, TableRow, Tables
from hoptrail.core.types.table import RowKind

_BREAK = "\n\n"
_DEEPEST_HEADING = 6


@dataclass(frozen=True, slots=True, eq=False)
class TableHead:
    """The head of one table: its name, such as the sheet's, and those of its columns.

    Rows belong together that have the very same head.
    """

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowCells:
    """The cells of a row as a table has them; see `TableRow`."""

    head: TableHead
    cells: tuple[str, ...]
    kind: RowKind = "row"
    section: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list or table row; `place` is such as "page 3", empty without one.

    `continues` is whether its first sentence began in the block before. `row` are the cells that
    the text tells.
    """

    text: str
    place: str = ""
    continues: bool = False
    row: RowCells | None = None


class JoinedText(NamedTuple):
    """The text of several blocks, where each place in it begins, and its tables."""

    text: str
    places: Places
    tables: Tables


@dataclass(frozen=True, slots=True)
class Content:
    """A document as a reader found it.

    `left_out` names parts that could not be read, such as a page, each with the reason. `metadata`
    are fields beside the text, such as those of a front matter.
    """

    title: str
    blocks: tuple[Block, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    def joined(self) -> JoinedText:
        """Return the text of all blocks, with the places and tables in it."""
        parts: list[str] = []
        places: list[tuple[int, str]] = []
        tables: dict[TableHead, list[TableRow]] = {}
        length = 0
        for block in self.blocks:
            if not block.text.strip():
                continue
            if parts:
                parts.append("\n" if block.continues else _BREAK)
                length += len(parts[-1])
            if block.place != (places[-1][1] if places else ""):
                places.append((length, block.place))
            if (row := block.row) is not None:
                end = length + len(block.text)
                told = TableRow(length, end, row.cells, row.kind, row.section)
                tables.setdefault(row.head, []).append(told)
            parts.append(block.text)
            length += len(block.text)
        numbered = enumerate(tables.items(), start=1)
        found = (
            TablePart(at, head.name, head.columns, tuple(rows)) for at, (head, rows) in numbered
        )
        return JoinedText("".join(parts), tuple(places), tuple(found))


def heading(text: str, level: int = 1) -> str:
    """Return a heading as Markdown marks it: it states nothing and is never quoted."""
    return f"{'#' * min(max(level, 1), _DEEPEST_HEADING)} {' '.join(text.split())}"


def row_text(header: Iterable[str], cells: Iterable[str]) -> str:
    """Return a table's row as "Name: cell; Name: cell", without its empty cells."""
    told = []
    for name, cell in zip(header, cells, strict=False):
        if value := " ".join(cell.split()):
            told.append(f"{name}: {value}" if name and name != value else value)
    return "; ".join(told)
