"""Parts of a page beside its prose: tables, running headers, page numbers, words that are cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from hoptrail.core.text import ends_on_purpose
from hoptrail.indexing.loading.readers.content import Block
from hoptrail.indexing.loading.readers.pdf_lines import Line
from hoptrail.indexing.loading.readers.tables import TooManyColumnsError, told_table
from hoptrail.indexing.loading.reading_order import Piece, Row, usual_step

_EDGE = 4  # lines at the top and at the bottom of a page that may be running ones
_REPEATED = 0.6  # of the pages
_SURE = 3  # pages
_SHIFT = 3.0  # points by which a running line may stand higher or lower on another page
_WIDE = 1.6  # of the letters' size: the distance between lines of a page that has few
_ROOM = 1.25  # of the usual distance between lines
_PAGE_NUMBER = re.compile(
    r"\W{0,5}(page|seite|p\.)?\s?(\d{1,4})(\s?(?:of|von|/|-)\s?\d{1,4})?\W{0,5}", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w+(?:-\w+)*")
_SPLIT_WORD = re.compile(r"(\W{0,3}\w{2,40})[-\u00ad\u2010]\n(\w{2,40})(.*)")
_NEIGHBOURS = 3  # lines above and below


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the pages without the headers, footers and page numbers that most of them repeat.

    A running line stands at the edge of its page, at the same height on most pages. On fewer than
    three, and where its number differs, it must also stand apart from the text: the sentences of
    a form repeat as well.
    """
    repeated = _Repeated(pages)
    return [
        _without(page, repeated.running(page, number)) for number, page in enumerate(pages, start=1)
    ]


def _without(page: Sequence[Line], left_out: set[int]) -> list[Line]:
    return [line for line in page if id(line) not in left_out]


class _Repeated:
    """Counts on how many pages a line stands at the same height, its numbers aside or not."""

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        self._least = max(2, _REPEATED * sum(map(bool, pages)))
        self._counts: Counter[tuple[str, int]] = Counter()
        for page in pages:
            edges = [*_from_edge(page, top=True), *_from_edge(page, top=False)]
            texts = {(text, _height(line)) for line in edges for text in _texts(line)}
            self._counts.update(texts)

    def running(self, page: Sequence[Line], number: int) -> set[int]:
        """Return the identities of the running lines of a page."""
        step = _usual_step(page)
        running: set[int] = set()
        for top in (True, False):
            end = _from_edge(page, top=top)
            for at, (line, inner) in enumerate(pairwise(end)):
                is_number = _is_number(line.text, number)
                exact, key = map(self._count, _texts(line), [_height(line)] * 2)
                if max(exact, key) < self._least and not is_number:
                    break
                is_sure = exact >= max(self._least, _SURE)
                if is_number or is_sure or _is_apart(line, inner, step):
                    running.update(id(one) for one in end[: at + 1])
        return running

    def _count(self, text: str, height: int) -> int:
        return sum(self._counts[text, at] for at in range(height - 1, height + 2))


def _texts(line: Line) -> tuple[str, str]:
    """Return the text of a line, and with a sign in place of its numbers."""
    return line.text, f"#{_DIGITS.sub('#', line.text.lower())}"


def _height(line: Line) -> int:
    return round(line.baseline / _SHIFT)


def _from_edge(page: Sequence[Line], *, top: bool) -> list[Line]:
    """Return the first lines from the top or the bottom edge inwards, and the one behind them."""
    return sorted(page, key=lambda line: line.baseline, reverse=top)[: _EDGE + 1]


def _usual_step(page: Sequence[Line]) -> float:
    """Return the usual distance between lines of a page."""
    heights = sorted({round(line.baseline, 1) for line in page})
    steps = [above - below for below, above in pairwise(heights)]
    return median([step for step in steps if step > _SHIFT] or [0.0])


def _is_apart(line: Line, inner: Line, step: float) -> bool:
    """Return whether there is more room between a line and the next one than lines have."""
    return abs(inner.baseline - line.baseline) > _ROOM * min(step, _WIDE * inner.size)


def _is_number(line: str, page: int) -> bool:
    """Return whether a line says "Page 3", "3 of 9", or "3" on the third page."""
    match = _PAGE_NUMBER.fullmatch(line)
    return match is not None and bool(match[1] or match[3] or int(match[2]) == page)


def known_words(texts: Iterable[str]) -> Counter[str]:
    """Return how often the texts of lines have each word, in small letters."""
    return Counter(word for text in texts for word in _WORD.findall(text.lower()))


def unwrapped(lines: Sequence[Line], known: Counter[str]) -> str:
    """Return the lines of a page, those joined that were broken for want of room.

    Columns and headings differ in width, so a line is compared with its neighbours.
    """
    texts = [line.text for line in lines]
    parts: list[str] = []
    for at, line in enumerate(texts):
        if not parts:
            parts.append(line)
            continue
        before = lines[at - 1]
        neighbours = texts[max(0, at - 1 - _NEIGHBOURS) : at + _NEIGHBOURS]
        width = max(map(len, neighbours))
        split = _SPLIT_WORD.fullmatch(f"{parts[-1].rpartition(' ')[2]}\n{line}")
        if split is not None:
            parts[-1] = parts[-1].rpartition(" ")[0]
            parts.append(f" {_mended(split, known)}" if parts[-1] else _mended(split, known))
            continue
        stands_alone = lines[at].is_apart or lines[at].is_row or before.is_row
        ends = stands_alone or ends_on_purpose(before.text, line, width)
        parts.append(("\n" if ends else " ") + line)
    return "".join(parts).strip()


def _mended(split: re.Match[str], known: Counter[str]) -> str:
    """Return a line whose first word began on the line before, as the text else writes the word."""
    first, second, rest = split.groups()
    with_hyphen = f"{first}-{second}"
    keeps = known[with_hyphen.lower()] > known[(first + second).lower()]
    return (with_hyphen if keeps or not second[0].islower() else first + second) + rest


_LEAST_ROWS = 2
_LEAST_TOLD = 2  # rows below the head
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


def table_blocks_of(rows: Sequence[Row]) -> list[Block]:
    """Return the rows of a table as blocks, none where they have no head or are labels with values.

    Args:
        rows: With the places of their cells.
    """
    return headed_blocks(
        [[" ".join(piece.text for piece in cell) for cell in row] for row in table_cells(rows)]
    )


def headed_blocks(texts: Sequence[Sequence[str]]) -> list[Block]:
    """Return rows of cells as blocks, none where they have no head or are labels with values.

    Args:
        texts: The cells of each row, by column.
    """
    if are_labels(texts):
        return []
    try:
        told = told_table(texts)
    except TooManyColumnsError:
        return []
    if sum(one.row is not None for one in told) < _LEAST_TOLD:
        return []
    return [one.block() for one in told]


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
