"""E-books in EPUB: the chapters in reading order."""

from __future__ import annotations

import posixpath
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.content import (
    Block,
    Content,
    Picture,
    first_heading,
    meant_title,
    name_as_words,
)
from hoptrail.indexing.loading.readers.pictures import (
    MAX_PICTURE_BYTES,
    HeldPictures,
    pictures_of_page,
)
from hoptrail.indexing.loading.readers.raw_bytes import decoded, open_archive
from hoptrail.indexing.loading.readers.web_pages import (
    PageText,
    all_text,
    parsed,
    without_declaration,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html"})


def read_epub(path: Path) -> Content:
    """Return the chapters of a book; its table of contents is no part of the text.

    Raises:
        InputError: If the archive is none, or a book without chapters, or a locked one.
    """
    with open_archive(path) as archive:
        try:
            return _book(archive, path.stem)
        except InputError:
            raise
        except (KeyError, ValueError, SyntaxError) as error:
            told = " ".join(str(error).split())[:200]
            raise InputError(f"not a readable e-book: {told}") from error


def _book(archive: zipfile.ZipFile, name: str) -> Content:
    place = _first(_xml(archive.read(_CONTAINER)), "rootfile").get("full-path") or ""
    package = _xml(archive.read(place))
    titles = [one.text for one in package.iterfind(".//{*}title") if one.text]
    blocks: list[Block] = []
    left_out: list[tuple[str, str]] = []
    pictures: list[Picture] = []
    for number, chapter in enumerate(_chapters(package, posixpath.dirname(place)), start=1):
        try:
            held = HeldPictures(without_declaration(decoded(archive.read(chapter))))
            page = parsed(held.source)
            found, shown = all_text(page) if page is not None else PageText([], [])
        except (InputError, KeyError) as error:
            locked = _ENCRYPTION in archive.namelist()
            reason = "locked by its publisher" if locked else str(error).strip("'\"")
            left_out.append((chapter, reason))
            continue
        place = f"chapter {first_heading(block.text for block in found) or number}"
        files = _Files(archive, posixpath.dirname(chapter))
        pictures += (
            replace(picture, at=len(blocks) + picture.at)
            for picture in pictures_of_page(shown, held, files.get, place)
        )
        blocks += [replace(block, place=place) for block in found]
    if not blocks and not pictures and left_out:
        raise InputError(f"no chapter could be read: {left_out[0][1]}")
    title = meant_title(titles[0]) if titles else ""
    title = title or name_as_words(name)
    return Content(title, tuple(blocks), tuple(left_out), pictures=tuple(pictures))


class _Files:
    """The files of a book as a page in `folder` names them."""

    def __init__(self, archive: zipfile.ZipFile, folder: str) -> None:
        self._archive = archive
        self._folder = folder

    def get(self, address: str) -> bytes | None:
        """Return what a file holds, None where there is none or it is too large."""
        name = posixpath.normpath(posixpath.join(self._folder, address))
        try:
            is_small = self._archive.getinfo(name).file_size <= MAX_PICTURE_BYTES
        except KeyError:
            return None
        return self._archive.read(name) if is_small else None


def _chapters(package: _Element, folder: str) -> list[str]:
    """Return the paths of the pages in reading order, without the table of contents."""
    items = {str(item.get("id")): item for item in package.iterfind(".//{*}manifest/{*}item")}
    paths = []
    for reference in package.iterfind(".//{*}spine/{*}itemref"):
        item = items.get(str(reference.get("idref")))
        if item is None or item.get("media-type") not in _PAGES:
            continue
        if "nav" in str(item.get("properties", "")).split():
            continue
        paths.append(posixpath.normpath(posixpath.join(folder, unquote(str(item.get("href"))))))
    return paths


def _xml(data: bytes) -> _Element:
    from lxml.etree import XMLParser, fromstring

    return fromstring(data, XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def _first(tree: _Element, name: str) -> _Element:
    found = tree.find(f".//{{*}}{name}")
    if found is None:
        raise ValueError(f"no {name}")
    return found
