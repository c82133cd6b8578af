"""The text of a Word file's parts in their order, with notes, comments and text boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hoptrail.indexing.loading.readers.content import (
    NOT_TICKED,
    TICKED,
    Block,
    asked_heading,
    heading,
    is_asked_alone,
)
from hoptrail.indexing.loading.readers.table_heads import GridRow
from hoptrail.indexing.loading.readers.tables import LONGEST_REPEATED, blocks_with
from hoptrail.indexing.loading.readers.word_styles import WORD, WordNumbering, WordStyles

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_FORMULA = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_TEXTS = frozenset({f"{WORD}t", f"{_FORMULA}t"})
_SIGNS = {f"{WORD}tab": "\t", f"{WORD}cr": "\n", f"{WORD}noBreakHyphen": "-"}
# Deleted and moved away text, field codes, marks of style, and the small print above Asian script.
_UNSEEN = frozenset(
    f"{WORD}{name}" for name in ("del", "moveFrom", "delText", "instrText", "pPr", "rPr", "rt")
)
_WRAPPERS = frozenset(
    f"{WORD}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")
)
_CHANGES = tuple(f"{WORD}{name}" for name in ("ins", "del", "moveFrom", "moveTo"))
_REFERENCES = {
    f"{WORD}footnoteReference": "footnote",
    f"{WORD}endnoteReference": "endnote",
    f"{WORD}commentReference": "comment",
}

Notes = Mapping[tuple[str, str], Any]
"""The element of each note by its kind ("footnote", "endnote", "comment") and its id."""

# Signs of symbol fonts by font and code: boxes, ticks and crosses.
_SYMBOLS = {
    **dict.fromkeys([("wingdings", code) for code in (0xFD, 0xFE)], TICKED),
    **dict.fromkeys([("wingdings", code) for code in (0x6F, 0x71, 0x72, 0xA8)], NOT_TICKED),
    **dict.fromkeys([("wingdings", 0xFC), ("wingdings 2", 0x50)], "✓"),
    **dict.fromkeys([("wingdings", 0xFB), ("wingdings 2", 0x4F)], "✗"),
    **dict.fromkeys([("wingdings 2", code) for code in (0x51, 0x52, 0x53, 0x54)], TICKED),
    ("wingdings 2", 0xA3): NOT_TICKED,
}
_PRIVATE = 0xF000  # where symbol fonts put their codes


@dataclass(slots=True)
class _Paragraph:
    """The contents of a paragraph: pieces of text, and what hangs on it."""

    pieces: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()


class _Cell(NamedTuple):
    column: int
    element: Any
    goes_on: bool
    """Whether it is a part of the cell above it."""
    width: int
    """How many columns it spans."""


class WordBody:
    """Reads the elements of a Word file.

    Args:
        styles: Tells headings and lists.
        notes: Footnotes, endnotes and comments; each follows the paragraph that names it first.
        numbering: Counts numbered paragraphs.
    """

    def __init__(self, styles: WordStyles, notes: Notes, numbering: WordNumbering) -> None:
        self._styles = styles
        self._numbering = numbering
        self._notes = dict(notes)
        self._counts = dict.fromkeys(_REFERENCES.values(), 0)
        self.headings: dict[str, str] = {}
        """The headings that were read, each with its text without the number."""
        self.title = ""
        """The first paragraph in the style Title, once it was read."""

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Yield the paragraphs, items and rows within an element, as a person sees them."""
        for child in parent:
            if child.tag == f"{WORD}p":
                yield from self._paragraph(child)
            elif child.tag == f"{WORD}tbl":
                yield from self._table(child)
            elif child.tag in _WRAPPERS:
                yield from self.blocks(child)

    def _paragraph(self, element: Any) -> Iterator[Block]:
        kind = self._styles.kind(element)
        if kind.is_contents:
            return
        paragraph = _Paragraph()
        _read(element, paragraph)
        text = paragraph.text
        place = self._styles.list_place(element)
        label = self._numbering.label(place) if place is not None else ""
        told = f"{label} {text}" if label else text
        if text and (kind.is_title or kind.level):
            self.title = self.title or (" ".join(text.split()) if kind.is_title else "")
            self.headings.setdefault(" ".join(told.split()), " ".join(text.split()))
            yield Block(heading(told, kind.level or 1))
        elif is_asked_alone(text) and self._styles.is_bold(element):
            yield Block(asked_heading(told))
        elif text:
            yield Block(f"- {text}" if kind.is_item and not label else told)
        yield from self._attached(paragraph)

    def _attached(self, paragraph: _Paragraph) -> Iterator[Block]:
        """Yield the notes and text boxes of a paragraph."""
        for reference in paragraph.notes:
            note = self._notes.pop(reference, None)
            if note is not None:
                yield from self._note(reference[0], note)
        for box in paragraph.boxes:
            yield from self.blocks(box)

    def _note(self, kind: str, note: Any) -> Iterator[Block]:
        self._counts[kind] += 1
        text = " ".join(block.text for block in self.blocks(note))
        if not text:
            return
        author = note.get(f"{WORD}author") or ""
        told = f"Comment by {author}: {text}" if author else text
        yield Block(told, f"{kind} {self._counts[kind]}")

    def _table(self, table: Any) -> Iterator[Block]:
        lines = [list(_cells(row)) for row in _rows(table)]
        lines = [line for line in lines if line]
        if len(lines) == 1 or all(len(line) == 1 for line in lines):  # it only lays out a page
            for line in lines:
                for cell in line:
                    yield from self.blocks(cell.element)
            return
        rows: list[GridRow] = []
        attached: list[list[Block]] = []
        for line in lines:
            above = rows[-1].cells if rows else []
            row, further = self._row(line, above)
            widths = {cell.column: cell.width for cell in line if cell.width > 1}
            rows.append(GridRow(row, widths))
            attached.append(further)
        yield from blocks_with(rows, attached)

    def _row(self, line: list[_Cell], above: Sequence[str]) -> tuple[list[str], list[Block]]:
        """Return the cells of a row in their columns, and the blocks that hang on them."""
        row = [""] * (line[-1].column + 1)
        further: list[Block] = []
        for cell in line:
            if cell.goes_on:
                text = above[cell.column] if cell.column < len(above) else ""
                row[cell.column] = text if len(text) <= LONGEST_REPEATED else ""
                continue
            row[cell.column], attached = self._cell(cell.element)
            further += attached
        return row, further

    def _cell(self, cell: Any) -> tuple[str, list[Block]]:
        """Return the text of a cell, and its notes, text boxes and tables."""
        texts: list[str] = []
        further: list[Block] = []
        for element in _unwrapped(cell):
            if element.tag == f"{WORD}tbl":
                further += self._table(element)
            elif element.tag == f"{WORD}p":
                paragraph = _Paragraph()
                _read(element, paragraph)
                texts.append(paragraph.text)
                further += self._attached(paragraph)
        return " ".join(filter(None, texts)), further


def tracked_changes(element: Any) -> int:
    """Return how many pieces of text were put in, deleted or moved with changes tracked."""
    return sum(1 for change in element.iter(*_CHANGES) if change.getparent().tag != f"{WORD}rPr")


def _rows(table: Any) -> Iterator[Any]:
    """Yield the rows of a table but those that were deleted with changes tracked."""
    for child in _unwrapped(table):
        if child.tag == f"{WORD}tr":
            marks = child.find(f"{WORD}trPr")
            if marks is None or marks.find(f"{WORD}del") is None:
                yield child


def _cells(row: Any) -> Iterator[_Cell]:
    """Yield the cells of a row; the column counts those that earlier cells span."""
    column = _number(row.find(f"{WORD}trPr"), "gridBefore", 0)
    for cell in _unwrapped(row):
        if cell.tag != f"{WORD}tc":
            continue
        marks = cell.find(f"{WORD}tcPr")
        merged = None if marks is None else marks.find(f"{WORD}vMerge")
        goes_on = merged is not None and merged.get(f"{WORD}val", "continue") == "continue"
        width = max(1, _number(marks, "gridSpan", 1))
        yield _Cell(column, cell, goes_on, width)
        column += width


def _number(marks: Any, name: str, default: int) -> int:
    found = None if marks is None else marks.find(f"{WORD}{name}")
    value = "" if found is None else found.get(f"{WORD}val", "")
    return min(int(value), 1000) if value.isdecimal() else default


def _unwrapped(element: Any) -> Iterator[Any]:
    """Yield the children of an element and of what only wraps some of them."""
    for child in element:
        if child.tag in _WRAPPERS:
            yield from _unwrapped(child)
        else:
            yield child


def _read(element: Any, into: _Paragraph) -> None:
    """Read what a person sees of an element within a paragraph."""
    for child in element:
        tag = child.tag
        if tag in _TEXTS:
            into.pieces.append(child.text or "")
        elif tag in _SIGNS:
            into.pieces.append(_SIGNS[tag])
        elif tag == f"{WORD}br":
            into.pieces.append(" " if child.get(f"{WORD}type") else "\n")
        elif tag == f"{WORD}fldChar":
            into.pieces.append(_field_text(child))
        elif tag == f"{WORD}sym":
            into.pieces.append(_symbol_text(child))
        elif tag in _REFERENCES:
            into.notes.append((_REFERENCES[tag], child.get(f"{WORD}id", "")))
        elif tag == f"{WORD}txbxContent":
            into.boxes.append(child)
        elif tag == f"{_COMPATIBILITY}AlternateContent":  # the same twice, for newer and older Word
            _read(_first(child), into)
        elif tag not in _UNSEEN and not _is_hidden(child):
            _read(child, into)


def _first(alternatives: Any) -> Iterable[Any]:
    return next(iter(alternatives), ())


def _is_hidden(run: Any) -> bool:
    marks = run.find(f"{WORD}rPr") if run.tag == f"{WORD}r" else None
    hidden = None if marks is None else marks.find(f"{WORD}vanish")
    return hidden is not None and hidden.get(f"{WORD}val", "1") not in {"0", "false", "off"}


def _field_text(mark: Any) -> str:
    """Return what a field of a form shows that no run of text tells: a box, the chosen entry.

    Args:
        mark: The element that begins a field.
    """
    box = mark.find(f"{WORD}ffData/{WORD}checkBox")
    if box is not None:
        state = box.find(f"{WORD}checked")
        state = box.find(f"{WORD}default") if state is None else state
        return TICKED if state is not None and _is_on(state) else NOT_TICKED
    choice = mark.find(f"{WORD}ffData/{WORD}ddList")
    if choice is None:
        return ""
    entries = [entry.get(f"{WORD}val", "") for entry in choice.findall(f"{WORD}listEntry")]
    result = choice.find(f"{WORD}result")
    number = "0" if result is None else result.get(f"{WORD}val", "0")
    return entries[int(number)] if number.isdecimal() and int(number) < len(entries) else ""


def _symbol_text(symbol: Any) -> str:
    """Return a box, tick or cross of a symbol font as a common sign, "" for other signs."""
    try:
        code = int(symbol.get(f"{WORD}char", ""), 16)
    except ValueError:
        return ""
    font = symbol.get(f"{WORD}font", "").lower()
    return _SYMBOLS.get((font, code - _PRIVATE if code >= _PRIVATE else code), "")


def _is_on(mark: Any) -> bool:
    return mark.get(f"{WORD}val", "1") not in {"0", "false", "off"}
