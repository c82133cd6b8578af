"""Pictures as documents: files that are one, and pictures within Office files."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from hoptrail.indexing.loading.readers.content import Content, Picture

PICTURE_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
PICTURE_KINDS = frozenset({"bmp", "jpeg", "jpg", "png", "tiff", "webp", "x-ms-bmp"})
"""Subtypes of the pictures that are read, as mails name them."""
A_PICTURE = "a picture"
MAX_PICTURE_BYTES = 50 * 1024 * 1024
_EMBEDDED = re.compile(rb'(?:r:embed|r:id|o:relid)="([^"]{1,100})"')
_RELATION = re.compile(rb"<Relationship\b[^>]{1,2000}>")
_ID = re.compile(rb'\bId="([^"]{1,100})"')
_TARGET = re.compile(rb'\bTarget="([^"]{1,500})"')


def read_picture(path: Path) -> Content:
    """Return a file as a picture that is still to be recognised; its text gives the title."""
    return Content("", (), pictures=(Picture("", reason=A_PICTURE, path=path),))


def pictures_within(
    archive: zipfile.ZipFile, parts: Iterable[tuple[str, int, str]]
) -> tuple[Picture, ...]:
    """Return the pictures that parts of an Office file show, in their order, each once.

    Args:
        archive: The file, checked by `open_archive`.
        parts: Names of parts, such as "word/document.xml", each with the number of blocks before
            its pictures, and with its place, such as "slide 3", empty without one.
    """
    shown: dict[str, tuple[int, str]] = {}
    for part, at, place in parts:
        for name in _shown_by(archive, part):
            shown.setdefault(name, (at, place))
    return tuple(
        Picture(
            f"{place}, picture {number}" if place else f"picture {number}",
            at,
            A_PICTURE,
            data=archive.read(name),
        )
        for number, (name, (at, place)) in enumerate(shown.items(), start=1)
        if archive.getinfo(name).file_size <= MAX_PICTURE_BYTES
    )


def _shown_by(archive: zipfile.ZipFile, part: str) -> Iterator[str]:
    """Yield the names of the pictures of a part in the order in which it names them."""
    folder, _, name = part.rpartition("/")
    relations = f"{folder}/_rels/{name}.rels"
    known = set(archive.namelist())
    if part not in known or relations not in known:
        return
    targets: dict[bytes, str] = {}
    for relation in _RELATION.findall(archive.read(relations)):
        id_, target = _ID.search(relation), _TARGET.search(relation)
        if id_ and target:
            wanted = target[1].decode(errors="replace")
            targets[id_[1]] = (
                wanted.lstrip("/")
                if wanted.startswith("/")
                else posixpath.normpath(posixpath.join(folder, wanted))
            )
    for id_ in _EMBEDDED.findall(archive.read(part)):
        found = targets.get(id_, "")
        if found in known and Path(found).suffix.lower() in PICTURE_SUFFIXES:
            yield found
