"""The lines of a PDF page with their positions, put together from the page's characters."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from hoptrail.indexing.loading.readers.content import NOT_TICKED, TICKED

_MOST_FIELDS = 2_000  # of a page
_PASSWORD = 1 << 13  # flag of a field, ISO 32000-1, table 228
_UNSEEN = (1 << 1) | (1 << 5)  # flags of an annotation: hidden, no view
MAX_CHARACTERS = 200_000
"""Characters of one page that are read."""
_GAP = 0.7  # of the letters' size; what is wider parts columns, cells of a table, or nothing
_SAME_LINE = 0.5  # of the letters' size
_BACK = 0.6  # of the letters' size by which a letter may begin before the one before it ends
_UPRIGHT = math.pi / 6
_HYPHENS = dict.fromkeys(map(ord, "\x02\ufffe\ufffd\xad"), "-")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
)
_FIRST_PRIVATE, _LAST_PRIVATE = "\ue000", "\uf8ff"  # signs of symbol fonts, mostly bullets
_PROSE = 20  # characters of the usual line of a column
_LEAST_LINES = 3
_MOST_GUTTERS = 8
_CELL_GAP = 2.5  # of the letters' size
_FAR = 5  # of the letters' size; what is farther below is another part of the page
_FIELD_SIZE = 11  # points, of the letters of a field without text beside it
_APART = 1.35  # of the usual distance between lines


@dataclass(frozen=True, slots=True)
class FormField:
    """A field: what it holds, the label that programs read aloud, and its box in points.

    `text` is a sign for a box or button, which is ticked or not.
    """

    text: str
    label: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def is_box(self) -> bool:
        """Whether it is one to tick."""
        return self.text in {TICKED, NOT_TICKED}


def fields_of(page: Any) -> Iterator[FormField]:
    """Yield the fields of a page of pypdfium2 that hold something, in the file's order.

    The document's forms must have been initialised before the page was loaded; else there are none.
    """
    import pypdfium2.raw as pdfium

    form = page.formenv
    if form is None:
        return
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_FIELDS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, at)
        if not annotation:
            continue
        try:
            field = _field(pdfium, form.raw, annotation)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
        if field is not None:
            yield field


def _field(pdfium: Any, form: Any, annotation: Any) -> FormField | None:
    if pdfium.FPDFAnnot_GetSubtype(annotation) != pdfium.FPDF_ANNOT_WIDGET:
        return None
    if pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
        return None
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    text = ""
    if kind in {pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON}:
        text = TICKED if pdfium.FPDFAnnot_IsChecked(form, annotation) else NOT_TICKED
    elif kind in {
        pdfium.FPDF_FORMFIELD_TEXTFIELD,
        pdfium.FPDF_FORMFIELD_COMBOBOX,
        pdfium.FPDF_FORMFIELD_LISTBOX,
    } and not (pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD):
        text = _told(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
    box = pdfium.FS_RECTF()
    if not text or not pdfium.FPDFAnnot_GetRect(annotation, box):
        return None
    label = _told(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    return FormField(text, label, box.left, box.bottom, box.right, box.top)


def _told(read: Any, form: Any, annotation: Any) -> str:
    """Return a text of a field as one line; the library gives UTF-16 with a zero at the end."""
    length = read(form, annotation, None, 0)
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    read(form, annotation, buffer, length)
    text = bytes(buffer)[:length].decode("utf-16-le", "replace").rstrip("\0")
    return " ".join(text.split())


class Line(NamedTuple):
    """A line of a page, its positions in points from the lower left corner."""

    text: str
    left: float
    right: float
    baseline: float
    size: float
    is_turned: bool
    """Whether it is turned on its side."""
    is_row: bool
    """Whether it has wide gaps, as the row of a table has."""
    is_apart: bool
    """Whether there is more room above it than between other lines."""
    cells: Sequence[tuple[str, float, float]] = ()
    """Its parts between gaps, each with where it begins and ends, where it has several."""


@dataclass(slots=True)
class _Part:
    """A line, or a part of one between gaps."""

    left: float
    right: float
    baseline: float
    size: float
    pieces: list[str] = field(default_factory=list)
    is_turned: bool = False
    is_row: bool = False
    is_field: bool = False
    """Whether it holds a field of a form: a line of its own, and no row of a table."""
    parts: list[_Part] = field(default_factory=list)

    @property
    def cells(self) -> list[tuple[str, float, float]]:
        """The parts that it was joined of, each with where it begins and ends."""
        parts = () if self.is_field else self.parts
        return [(part.text, part.left, part.right) for part in parts if part.text]

    @property
    def text(self) -> str:
        """The text, with one space between words and a dash for a bullet."""
        text = " ".join("".join(self.pieces).split()).translate(_HYPHENS).translate(_LIGATURES)
        if _is_private(text[:1]):
            text = f"- {text[1:].lstrip()}"
        return "".join(one for one in text if not _is_private(one))


def page_lines(page: Any) -> list[Line]:
    """Return the lines of a page of pypdfium2 in reading order.

    They come in the order in which the file draws them, which nearly all programs do as one
    reads. Where two columns of prose are drawn in turn, line by line, the left one comes first.
    """
    drawn = [part for part in _parts(page) if "".join(part.pieces).strip()]
    parts = _in_columns(_with_fields(drawn, fields_of(page)))
    lines = [part for part in _joined(parts) if part.text]
    return [
        Line(
            one.text,
            one.left,
            one.right,
            one.baseline,
            one.size,
            one.is_turned,
            one.is_row,
            far,
            one.cells,
        )
        for one, far in zip(lines, _apart(lines), strict=True)
    ]


def _parts(page: Any) -> Iterator[_Part]:
    """Yield runs of characters that stand close together on a line."""
    import pypdfium2.raw as pdfium

    text_page = page.get_textpage()
    try:
        x, y, box = ctypes.c_double(), ctypes.c_double(), pdfium.FS_RECTF()
        part: _Part | None = None
        for at in range(min(text_page.count_chars(), MAX_CHARACTERS)):
            code = pdfium.FPDFText_GetUnicode(text_page, at)
            character = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
            if character in "\r\n\0":
                if part is not None and part.is_turned:
                    yield part
                    part = None
                continue
            if character.isspace():
                if part is not None:
                    part.pieces.append(" ")
                continue
            pdfium.FPDFText_GetCharOrigin(text_page, at, x, y)
            pdfium.FPDFText_GetLooseCharBox(text_page, at, box)
            if part is not None and _goes_on(part, x.value, y.value):
                part.pieces.append(character)
                part.right = max(part.right, box.right)
                continue
            if part is not None:
                yield part
            size, is_turned = _size(pdfium, text_page, at)
            part = _Part(x.value, box.right, y.value, size, [character], is_turned)
        if part is not None:
            yield part
    finally:
        text_page.close()


def _with_fields(parts: list[_Part], fields: Iterable[FormField]) -> list[_Part]:
    """Return the parts of a page with what was filled in, each field beside its label.

    That is what stands on its line: on its left, or on the right of a box to tick. A field without
    one follows the line above it, behind the label that programs read aloud.
    """
    for one in sorted(fields, key=lambda one: (-one.top, one.left)):
        row = [part for part in parts if one.bottom - 2 <= part.baseline <= one.top]
        before = max((part for part in row if part.left <= one.left), key=_left, default=None)
        behind = min((part for part in row if part.left > one.left), key=_left, default=None)
        beside = before or behind
        size = beside.size if beside else min(_FIELD_SIZE, one.top - one.bottom)
        baseline = beside.baseline if beside else one.bottom + 0.3 * size
        left = before.right + 0.3 * size if before else one.left
        right = left + 0.5 * size * len(one.text)
        text = one.text if beside or not one.label else _labelled(one)
        part = _Part(left, right, baseline, size, [text], is_row=True, is_field=True)
        if beside:
            parts.insert(_place(parts, beside) + (beside is before), part)
        else:
            higher = [at for at, other in enumerate(parts) if other.baseline > one.top]
            nearest = min(higher, key=lambda at: (parts[at].baseline, -at), default=-1)
            parts.insert(nearest + 1, part)
    return parts


def _labelled(one: FormField) -> str:
    return f"{one.text} {one.label}" if one.is_box else f"{one.label}: {one.text}"


def _left(part: _Part) -> float:
    return part.left


def _place(parts: Sequence[_Part], wanted: _Part) -> int:
    """Return where a part stands; another one may be equal to it."""
    return next(at for at, part in enumerate(parts) if part is wanted)


def _size(pdfium: Any, text_page: Any, at: int) -> tuple[float, bool]:
    """Return the size of a character as it is seen, and whether it is turned on its side."""
    matrix = pdfium.FS_MATRIX()
    scale = 1.0
    if pdfium.FPDFText_GetMatrix(text_page, at, matrix):
        scale = math.hypot(matrix.c, matrix.d) or 1.0
    angle = pdfium.FPDFText_GetCharAngle(text_page, at)
    is_turned = _UPRIGHT < angle % math.pi < math.pi - _UPRIGHT
    return (pdfium.FPDFText_GetFontSize(text_page, at) or 1.0) * scale, is_turned


def _goes_on(part: _Part, x: float, y: float) -> bool:
    if part.is_turned:
        return True
    return (
        abs(y - part.baseline) <= _SAME_LINE * part.size
        and -_BACK * part.size <= x - part.right <= _GAP * part.size
    )


def _is_private(character: str) -> bool:
    return _FIRST_PRIVATE <= character <= _LAST_PRIVATE


def _in_columns(parts: list[_Part]) -> list[_Part]:
    """Return the parts of a page, columns that are drawn in turn put one behind the other."""
    for gutter in _gutters(parts):
        ordered: list[_Part] = []
        band: list[_Part] = []
        for part in parts:
            if part.left < gutter < part.right:  # it goes over both columns
                ordered += _one_by_one(band, gutter)
                ordered.append(part)
                band = []
            else:
                band.append(part)
        parts = [*ordered, *_one_by_one(band, gutter)]
    return parts


def _gutters(parts: Sequence[_Part]) -> list[float]:
    """Return where columns may be parted: gaps between parts that follow on one line."""
    gaps: dict[int, list[float]] = {}
    for before, part in pairwise(parts):
        if abs(before.baseline - part.baseline) <= _SAME_LINE * part.size:
            middle = (before.right + part.left) / 2
            if part.left > before.right:
                gaps.setdefault(round(part.left / 4), []).append(middle)
    found = [max(own) for own in gaps.values() if len(own) >= _LEAST_LINES]
    return sorted(found)[:_MOST_GUTTERS]


def _one_by_one(band: list[_Part], gutter: float) -> list[_Part]:
    """Return the parts beside a gutter, those on its left first where they are columns of prose."""
    sides = [part.left >= gutter for part in band]
    left = [part for part, is_right in zip(band, sides, strict=True) if not is_right]
    right = [part for part, is_right in zip(band, sides, strict=True) if is_right]
    if min(len(left), len(right)) < _LEAST_LINES:
        return band
    changes = sum(before != after for before, after in pairwise(sides))
    is_prose = min(_usual_length(left), _usual_length(right)) >= _PROSE
    return [*left, *right] if is_prose and changes > min(len(left), len(right)) else band


def _usual_length(parts: Sequence[_Part]) -> float:
    return median(sum(map(len, part.pieces)) for part in parts)


def _joined(parts: Sequence[_Part]) -> list[_Part]:
    """Return the lines that parts beside each other make; cells of a table are one line."""
    lines: list[_Part] = []
    for part in parts:
        before = lines[-1] if lines else None
        if (
            before is not None
            and not before.is_turned
            and not part.is_turned
            and abs(before.baseline - part.baseline) <= _SAME_LINE * min(before.size, part.size)
            and part.left >= before.right - _BACK * part.size
        ):
            lines[-1] = replace(
                before,
                right=part.right,
                size=max(before.size, part.size),
                pieces=[*before.pieces, " ", *part.pieces],
                is_row=before.is_row
                or part.is_row
                or part.left - before.right > _CELL_GAP * part.size,
                is_field=before.is_field or part.is_field,
                parts=[*(before.parts or [before]), part],
            )
        else:
            lines.append(part)
    return lines


def _apart(lines: Sequence[_Part]) -> list[bool]:
    """Return for each line whether there is more room above it than lines have."""
    steps = [before.baseline - line.baseline for before, line in pairwise(lines)]
    down = [
        step for step, line in zip(steps, lines[1:], strict=True) if 0 < step < _FAR * line.size
    ]
    usual = median(down) if down else math.inf
    apart = [
        step > _APART * max(usual, line.size) for step, line in zip(steps, lines[1:], strict=True)
    ]
    return [False, *apart][: len(lines)]
