"""PowerPoint files: the text of each slide, its tables, its charts and the speaker's notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.content import (
    Block,
    Content,
    heading,
    meant_title,
    name_as_words,
)
from hoptrail.indexing.loading.readers.pictures import pictures_within
from hoptrail.indexing.loading.readers.raw_bytes import check_not_ole, open_archive
from hoptrail.indexing.loading.readers.tables import SpannedRows, table_blocks

_DEEPEST_GROUP = 20
_MOST_LINES = 4
_MOST_WORDS = 8  # of a line of a box
_PERSON = re.compile(r"(?:[A-Z][\w.'’-]{0,25}\s){1,3}[A-Z][\w'’-]{1,25}")
_BEFORE_ROLE = re.compile(r"\s[–—-]\s|\s?\(|,\s|:\s")
_CONNECTION = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_REACH = 0.12  # of a box's longer side: how far an end that is not glued to it may be off
Rectangle = tuple[int, int, int, int]


def read_slides(path: Path) -> Content:
    """Return the slides that hold text; the title is the file's, else the first slide's."""
    pptx = require("pptx", extra="documents", purpose="reading PowerPoint files")
    check_not_ole(path, ".pptx")
    with open_archive(path):
        pass  # checked as a whole; the library opens it by itself
    try:
        presentation = pptx.Presentation(str(path))
        slides = [_slide(slide, number) for number, slide in enumerate(presentation.slides, 1)]
        given = meant_title(presentation.core_properties.title)
        created = date_metadata("created", presentation.core_properties.created)
    # The parser raises whatever it stumbles over in a damaged file.
    except Exception as error:
        told = " ".join(str(error).split())[:200]
        raise InputError(f"not a readable PowerPoint file: {told}") from error
    ends = accumulate(len(blocks) for _, blocks in slides)
    parts = [
        (slide.part.partname.lstrip("/"), end, f"slide {number}")
        for number, (slide, end) in enumerate(zip(presentation.slides, ends, strict=True), 1)
    ]
    with open_archive(path) as archive:
        pictures = pictures_within(archive, parts)
    titles = (title for title, _ in slides if title)
    title = given or next(titles, "") or name_as_words(path.stem)
    blocks = tuple(block for _, blocks in slides for block in blocks)
    return Content(title, blocks, metadata=created, pictures=pictures)


def _slide(slide: Any, number: int) -> tuple[str, list[Block]]:
    """Return the title of a slide, empty without one, and its blocks."""
    shape = slide.shapes.title
    title = " ".join(shape.text_frame.text.split()) if shape is not None else ""
    blocks = [Block(heading(title))] if title else []
    own = None if shape is None else shape.shape_id
    shapes = [one for one in _flat(slide.shapes, _DEEPEST_GROUP) if one.shape_id != own]
    boxes = _boxes_of(shapes)
    blocks += _blocks(shapes, boxes)
    blocks += map(Block, relations_of(shapes, boxes))
    if slide.has_notes_slide:
        frame = slide.notes_slide.notes_text_frame
        lines = (frame.text if frame is not None else "").splitlines()
        blocks += [Block(line) for line in lines if line]
    return title, [replace(block, place=f"slide {number}") for block in blocks]


def _flat(shapes: Iterable[Any], depth: int) -> Iterator[Any]:
    """Yield shapes, and those of groups in their place."""
    for shape in shapes:
        if not hasattr(shape, "shapes"):
            yield shape
        elif depth:
            yield from _flat(shape.shapes, depth - 1)


def _blocks(shapes: Iterable[Any], boxes: dict[int, _ChartBox]) -> Iterator[Block]:
    for shape in shapes:
        if shape.shape_id in boxes:
            yield Block(boxes[shape.shape_id].text)
        elif shape.has_text_frame:
            texts = (" ".join(one.text.split()) for one in shape.text_frame.paragraphs)
            yield from (Block(text) for text in texts if text)
        elif getattr(shape, "has_table", False):
            spanned = SpannedRows()
            rows = [spanned.row(_seen(row)) for row in shape.table.rows]
            yield from table_blocks(rows)


def _seen(row: Any) -> Iterator[tuple[str, int, int]]:
    """Yield the text, columns and rows of each cell but those that another one covers."""
    for cell in row.cells:
        if not cell.is_spanned:
            yield cell.text, cell.span_width, cell.span_height


@dataclass(frozen=True, slots=True)
class _ChartBox:
    """A box of an organisation chart or a flow: the shape's id, its lines, and where it stands.

    It is one thing, though its text stands in two lines: "Nils Oberg" above "Head Gardener". A line
    with an arrow leads from one box to another; one without ranks the upper box over the lower.
    `place` is left, top, right, bottom.
    """

    id: int
    lines: tuple[str, ...]
    place: Rectangle

    @property
    def text(self) -> str:
        """Its lines as one."""
        return ", ".join(self.lines)

    @property
    def person(self) -> str:
        """The name that it holds beside a role, the first of two that may be one, else empty."""
        first, *below = self.lines
        parts = (first, *below) if below else tuple(_BEFORE_ROLE.split(first, 1))
        names = [part for part in parts if _PERSON.fullmatch(part)]
        return names[0] if len(parts) > 1 and names else ""


def _boxes_of(shapes: Sequence[Any]) -> dict[int, _ChartBox]:
    """Return the shapes of a slide that are boxes with a few short lines, by their ids."""
    return {
        shape.shape_id: box for shape in shapes if (box := _box(shape)) is not None and box.lines
    }


def _box(shape: Any) -> _ChartBox | None:
    if getattr(shape, "is_placeholder", False) or not getattr(shape, "has_text_frame", False):
        return None
    lines = [
        " ".join(line.split())
        for one in shape.text_frame.paragraphs
        for line in one.text.replace("\v", "\n").split("\n")
    ]
    lines = [line for line in lines if line]
    if len(lines) > _MOST_LINES or any(len(line.split()) > _MOST_WORDS for line in lines):
        return None
    if None in (shape.left, shape.top, shape.width, shape.height):
        return None
    place = (shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
    return _ChartBox(shape.shape_id, tuple(lines), place)


def relations_of(shapes: Sequence[Any], boxes: dict[int, _ChartBox]) -> Iterator[str]:
    """Yield a sentence for each line that joins two boxes, in their order.

    Args:
        shapes: All shapes of the slide.
        boxes: Those that are boxes, by id.
    """
    for shape in shapes:
        if not hasattr(shape, "begin_x"):
            continue
        begin = _end_of(shape, "stCxn", (shape.begin_x, shape.begin_y), boxes)
        end = _end_of(shape, "endCxn", (shape.end_x, shape.end_y), boxes)
        if begin is not None and end is not None and begin is not end:
            yield _sentence(begin, end, *_arrows(shape))


def _end_of(
    shape: Any, tag: str, point: tuple[int, int], boxes: dict[int, _ChartBox]
) -> _ChartBox | None:
    """Return the box that an end of a line is glued to, else the nearest one within reach."""
    glued = shape._element.find(f".//{_CONNECTION}{tag}")  # the library has no other way
    if glued is not None:
        return boxes.get(int(glued.get("id")))
    apart = {box.id: _distance(point, box.place) for box in boxes.values()}
    nearest = min(apart, key=apart.__getitem__, default=None)
    if nearest is None:
        return None
    left, top, right, bottom = boxes[nearest].place
    reach = _REACH * max(right - left, bottom - top)
    return boxes[nearest] if apart[nearest] <= reach else None


def _distance(point: tuple[int, int], place: Rectangle) -> float:
    (x, y), (left, top, right, bottom) = point, place
    across, down = max(left - x, 0, x - right), max(top - y, 0, y - bottom)
    return float((across**2 + down**2) ** 0.5)


def _arrows(shape: Any) -> tuple[bool, bool]:
    """Return whether a line has an arrow at its begin, and at its end."""
    ends = (shape._element.find(f".//{_CONNECTION}{tag}") for tag in ("headEnd", "tailEnd"))
    at_begin, at_end = (one is not None and one.get("type", "none") != "none" for one in ends)
    return at_begin, at_end


def _sentence(begin: _ChartBox, end: _ChartBox, at_begin: bool, at_end: bool) -> str:
    """Return what a line says: who reports to whom, what leads where, what is below what."""
    upper, lower = (begin, end) if begin.place[1] <= end.place[1] else (end, begin)
    is_ranked = upper.place[3] <= lower.place[1]
    if is_ranked and upper.person and lower.person:
        return f"{lower.person} reports to {upper.person}."
    if at_begin != at_end:
        first, then = (begin, end) if at_end else (end, begin)
        return f"{first.text} leads to {then.text}."
    if is_ranked:
        return f"{lower.text} is below {upper.text}."
    return f"{begin.text} is joined to {end.text}."
