"""Word files: paragraphs, headings, lists, tables, notes and comments, in their order."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.metadata import date_metadata
from hoptrail.indexing.loading.readers.aligned_text import with_tables
from hoptrail.indexing.loading.readers.content import (
    Block,
    Content,
    first_heading,
    guess_title,
    meant_title,
)
from hoptrail.indexing.loading.readers.pictures import pictures_within
from hoptrail.indexing.loading.readers.raw_bytes import check_not_ole, open_archive
from hoptrail.indexing.loading.readers.word_body import Notes, WordBody, tracked_changes
from hoptrail.indexing.loading.readers.word_styles import WORD, WordNumbering, WordStyles

_BODY = "word/document.xml"
_TYPES = "[Content_Types].xml"
_WITH_MACROS = re.compile(
    rb"application/vnd\.(?:ms-word\.(?:document|template)\.macroEnabled"
    rb"|openxmlformats-officedocument\.wordprocessingml\.template)\.main\+xml"
)
_PLAIN = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_ACCEPTED = "read as if accepted: accept or reject them in the file to be sure"
_NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}


def read_word(path: Path) -> Content:
    """Return what a Word file says; running headers, footers and macros are no part of it."""
    docx = require("docx", extra="documents", purpose="reading Word files")
    check_not_ole(path, ".docx")
    with open_archive(path) as archive:
        plain = _without_macros(archive)
        pictures = pictures_within(archive, [(_BODY, 0, "")])
    try:
        document = docx.Document(plain)
        parse = docx.oxml.parse_xml
        styles, numbering = WordStyles(document.styles.element), _numbering(document, parse)
        body = WordBody(styles, _notes(document, parse), WordNumbering(numbering))
        blocks = _blocks(document, body)
        given = meant_title(document.core_properties.title)
        created = date_metadata("created", document.core_properties.created)
        changes = tracked_changes(document.element.body)
    except InputError:
        raise
    # The parser raises whatever it stumbles over in a damaged file.
    except Exception as error:
        raise InputError(
            f"not a readable Word file: {' '.join(str(error).split())[:200]}"
        ) from error
    texts = [block.text for block in blocks]
    first = first_heading(texts)
    title = body.title or given or body.headings.get(first, first)
    title = title or guess_title("\n\n".join(texts), path.stem)
    shown = tuple(replace(picture, at=len(blocks)) for picture in pictures)
    noun = "tracked change" if changes == 1 else "tracked changes"
    named = ((f"{changes:,} {noun}", _ACCEPTED),) if changes else ()
    return Content(title, tuple(blocks), named, metadata=created, pictures=shown)


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


def _blocks(document: Any, body: WordBody) -> list[Block]:
    """Return the blocks of a file, with the letterhead that its first page alone has."""
    section = next(iter(document.sections), None)
    blocks = with_tables(body.blocks(document.element.body))
    if section is None or not section.different_first_page_header_footer:
        return [*blocks]
    header = section.first_page_header
    above = () if header.is_linked_to_previous else body.blocks(header._element)
    return [*above, *blocks]


def _numbering(document: Any, parse: Callable[[bytes], Any]) -> Any | None:
    """Return the element that tells how a file's lists are numbered, None without one."""
    for relation in document.part.rels.values():
        if relation.reltype.endswith("/numbering") and not relation.is_external:
            return parse(relation.target_part.blob)
    return None


def _notes(document: Any, parse: Callable[[bytes], Any]) -> Notes:
    """Return the footnotes, endnotes and comments of a file by kind and id."""
    notes = {}
    for relation in document.part.rels.values():
        kind = _NOTES.get(relation.reltype.rpartition("/")[2])
        if kind is None or relation.is_external:
            continue
        for note in parse(relation.target_part.blob).iter(f"{WORD}{kind}"):
            if note.get(f"{WORD}type") is None:  # the others are lines that set notes apart
                notes[kind, note.get(f"{WORD}id", "")] = note
    return notes
