"""Tables of a page: rows whose cells stand below each other, and the columns that they make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median

from hoptrail.indexing.loading.reading_order import Piece, Row, usual_step

_LEAST_ROWS = 2
_CROSSING = 0.1  # of the rows that may have a cell over a boundary
_NEAR = 1.6  # of the usual distance between rows: what is farther below begins something else
_FAR = 4.0
_DIGIT = re.compile(r"\d")


def tables_and_prose(rows: Sequence[Row]) -> Iterator[tuple[bool, list[Row]]]:
    """Yield the rows of a part in runs, and whether each run is a table.

    Rows with one piece between rows of cells belong to the table where the piece stands within one
    column: a cell that goes on, or a row with one cell.
    """
    at = 0
    prose: list[Row] = []
    step = usual_step(rows)
    while at < len(rows):
        end = _table_end(rows, at, step)
        if end - at < _LEAST_ROWS:
            prose.append(rows[at])
            at += 1
            continue
        if prose:
            yield False, prose
            prose = []
        yield True, list(rows[at:end])
        at = end
    if prose:
        yield False, prose


def _table_end(rows: Sequence[Row], begin: int, step: float) -> int:
    """Return where a table that begins at a row ends: behind its last row of several cells."""
    if len(rows[begin].pieces) < 2:
        return begin
    end = begin + 1
    at = end
    while at < len(rows):
        row = rows[at]
        if row.middle - rows[at - 1].middle > _FAR * max(row.height, rows[at - 1].height):
            break
        known = [one for one in rows[begin:end] if len(one.pieces) > 1]
        if len(row.pieces) > 1:
            if not _share_columns(known, row):
                break
            end = at + 1
        elif not _is_within_column(known, row.pieces[0]):
            break
        elif row.middle - rows[at - 1].middle > _NEAR * step:
            break
        at += 1
    # A cell of the last row may go on below it.
    while (
        end < len(rows)
        and end > begin + 1
        and len(rows[end].pieces) == 1
        and rows[end].middle - rows[end - 1].middle <= step
        and _column_of(rows[begin:end], rows[end].pieces[0]) > 0
    ):
        end += 1
    return end


def _share_columns(known: Sequence[Row], row: Row) -> bool:
    """Return whether the columns of some rows and another row fit each other."""
    return len(_boundaries([*known, row])) >= 1


def _is_within_column(known: Sequence[Row], piece: Piece) -> bool:
    edges = _boundaries(known)
    return bool(edges) and not any(piece.left < edge < piece.right for edge in edges)


def _column_of(rows: Sequence[Row], piece: Piece) -> int:
    """Return the column of a piece, -1 where it reaches over several."""
    edges = _boundaries([row for row in rows if len(row.pieces) > 1])
    if any(piece.left < edge < piece.right for edge in edges):
        return -1
    return sum(edge < (piece.left + piece.right) / 2 for edge in edges)


def _boundaries(rows: Sequence[Row]) -> list[float]:
    """Return where columns meet: gaps between cells that hardly any row has a cell in."""
    if not rows:
        return []
    edges = sorted({x for row in rows for piece in row.pieces for x in (piece.left, piece.right)})
    allowed = int(_CROSSING * len(rows))
    height = median(row.height for row in rows)
    found: list[float] = []
    begin: float | None = None
    for x0, x1 in zip(edges, edges[1:], strict=False):
        middle = (x0 + x1) / 2
        crossing = sum(any(p.left < middle < p.right for p in row.pieces) for row in rows)
        if crossing <= allowed:
            begin = x0 if begin is None else begin
            continue
        if begin is not None and x0 - begin >= 0.4 * height:
            found.append((begin + x0) / 2)
        begin = None
    return found


def table_cells(rows: Sequence[Row]) -> list[list[list[Piece]]]:
    """Return the pieces of each row of a table by column; a cell that goes on joins its row."""
    full = [row for row in rows if len(row.pieces) > 1]
    edges = _boundaries(full)
    table: list[list[list[Piece]]] = []
    last: Row | None = None
    for row in rows:
        cells: list[list[Piece]] = [[] for _ in range(len(edges) + 1)]
        for piece in row.pieces:
            cells[sum(edge < (piece.left + piece.right) / 2 for edge in edges)].append(piece)
        if last is not None and _goes_on(cells, row, last, rows):
            for own, more in zip(table[-1], cells, strict=True):
                own += more
        else:
            table.append(cells)
        last = row
    return table


def _goes_on(cells: Sequence[list[Piece]], row: Row, before: Row, rows: Sequence[Row]) -> bool:
    """Return whether a row is a further line of the cells of the row before it."""
    if cells[0] or len(row.pieces) > max(1, len(cells) // 2):
        return False
    return row.middle - before.middle <= 1.05 * usual_step(rows)


def are_labels(texts: Sequence[Sequence[str]]) -> bool:
    """Return whether a table of two columns is a list of labels and values, without a header.

    Its first row is a header only where figures stand below a word.
    """
    if not texts or len(texts[0]) != 2:
        return False
    values = [row[1] for row in texts if row[1]]
    if not values or _DIGIT.search(values[0]) or any(row[0].endswith(":") for row in texts):
        return True
    figures = sum(_DIGIT.search(value) is not None for value in values[1:])
    return figures < 0.6 * max(1, len(values) - 1)
