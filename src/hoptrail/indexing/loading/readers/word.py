"""Word files: paragraphs, headings, lists and tables, in their order."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.archives import open_archive
from hoptrail.indexing.loading.readers.content import Block, Content, heading
from hoptrail.indexing.loading.readers.file_check import check_not_ole
from hoptrail.indexing.loading.readers.tables import TooManyColumnsError, told_table
from hoptrail.indexing.loading.readers.titles import first_heading, guess_title, meant_title

_TYPES = "[Content_Types].xml"
_WITH_MACROS = re.compile(
    rb"application/vnd\.(?:ms-word\.(?:document|template)\.macroEnabled"
    rb"|openxmlformats-officedocument\.wordprocessingml\.template)\.main\+xml"
)
_PLAIN = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_LEVEL = re.compile(r"heading (\d)", re.IGNORECASE)


def read_word(path: Path) -> Content:
    """Return the body of a Word file; headers, footers, comments and macros are no part of it."""
    docx = require("docx", extra="documents", purpose="reading Word files")
    check_not_ole(path, ".docx")
    with open_archive(path) as archive:
        plain = _without_macros(archive)
    try:
        document = docx.Document(plain)
        paragraphs = list(_paragraphs(document))
        given = meant_title(document.core_properties.title)
        created = date_metadata("created", document.core_properties.created)
    except InputError:
        raise
    # The parser raises whatever it stumbles over in a damaged file.
    except Exception as error:
        raise InputError(
            f"not a readable Word file: {' '.join(str(error).split())[:200]}"
        ) from error
    blocks = [text for _, text in paragraphs]
    named = next((text for style, text in paragraphs if style == "Title"), "").lstrip("# ")
    title = named or given or first_heading(blocks)
    title = title or guess_title("\n\n".join(blocks), path.stem)
    return Content(title, tuple(map(Block, blocks)), metadata=created)


def _without_macros(archive: zipfile.ZipFile) -> io.BytesIO:
    """Return a copy of a file without macros, embedded files and pictures."""
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as plain:
        for name in dict.fromkeys(archive.namelist()):
            data = archive.read(name)
            if name == _TYPES:
                data = _WITH_MACROS.sub(_PLAIN, data)
            elif not name.lower().endswith((".xml", ".rels")):
                data = b""
            plain.writestr(name, data)
    copy.seek(0)
    return copy


def _paragraphs(document: Any) -> Iterator[tuple[str, str]]:
    """Yield (style, text) of each paragraph and each row of a table."""
    for item in document.iter_inner_content():
        if hasattr(item, "rows"):
            yield from (("table", text) for text in _rows(item))
            continue
        text = item.text.strip()
        if not text:
            continue
        style = str(item.style.name) if item.style is not None else ""
        level = _LEVEL.match(style)
        if level or style == "Title":
            yield style, heading(text, int(level[1]) if level else 1)
        else:
            yield style, f"- {text}" if style.startswith("List") else text


def _rows(table: Any) -> Iterator[str]:
    """Yield the rows of a table; a cell that spans several columns counts once."""
    rows = []
    for row in table.rows:
        cells, last = [], None
        for cell in row.cells:
            if cell._tc is not last:
                cells.append(cell.text)
            last = cell._tc
        rows.append(cells)
    try:
        yield from told_table(rows)
    except TooManyColumnsError as error:
        yield f"({error})"
