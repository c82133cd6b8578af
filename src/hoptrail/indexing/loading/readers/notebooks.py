"""Jupyter notebooks: their notes and what their code printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.content import Block, Content
from hoptrail.indexing.loading.readers.encodings import decoded
from hoptrail.indexing.loading.readers.json_files import parsed_json
from hoptrail.indexing.loading.readers.markdown import markdown_blocks
from hoptrail.indexing.loading.readers.titles import first_heading, name_as_words

_LONGEST_OUTPUT = 20_000  # characters


def read_notebook(path: Path) -> Content:
    """Return the notes and printed texts of a notebook; its code is left out.

    Raises:
        InputError: If it is no notebook of format 4, which came in 2015.
    """
    book = parsed_json(decoded(path.read_bytes()))
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise InputError("not a notebook: it has no cells (older than format 4?)")
    blocks = [
        replace(block, place=f"cell {number}")
        for number, cell in enumerate(cells, start=1)
        if isinstance(cell, dict)
        for block in _blocks(cell)
    ]
    title = first_heading(block.text for block in blocks)
    return Content(title or name_as_words(path.stem), tuple(blocks))


def _blocks(cell: dict[str, Any]) -> list[Block]:
    if cell.get("cell_type") == "markdown":
        return markdown_blocks(_joined(cell.get("source")))
    if cell.get("cell_type") == "raw":
        return [Block(_joined(cell.get("source")))]
    outputs = cell.get("outputs")
    return [Block(_printed(one)) for one in outputs or () if isinstance(one, dict)]


def _printed(output: dict[str, Any]) -> str:
    """Return what an output shows as text, from its beginning; pictures and errors show none."""
    data = output.get("data")
    shown = data.get("text/plain") if isinstance(data, dict) else output.get("text")
    return _joined(shown)[:_LONGEST_OUTPUT].strip()


def _joined(source: Any) -> str:
    if isinstance(source, list):
        return "".join(one for one in source if isinstance(one, str))
    return source if isinstance(source, str) else ""
