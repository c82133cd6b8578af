"""PowerPoint files: the text of each slide, its tables, its charts and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.archives import open_archive
from hoptrail.indexing.loading.readers.content import Block, Content, heading
from hoptrail.indexing.loading.readers.file_check import check_not_ole
from hoptrail.indexing.loading.readers.pictures import pictures_within
from hoptrail.indexing.loading.readers.slide_charts import ChartBox, boxes_of, relations_of
from hoptrail.indexing.loading.readers.tables import SpannedRows, table_blocks
from hoptrail.indexing.loading.readers.titles import meant_title, name_as_words

_DEEPEST_GROUP = 20


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
    boxes = boxes_of(shapes)
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


def _blocks(shapes: Iterable[Any], boxes: dict[int, ChartBox]) -> Iterator[Block]:
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
