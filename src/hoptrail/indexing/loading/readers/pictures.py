"""Pictures as documents: files that are one, and those that Office files and pages show."""

from __future__ import annotations

import base64
import binascii
import os
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.content import Content, Picture

PICTURE_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
PICTURE_KINDS = frozenset({"bmp", "jpeg", "jpg", "png", "tiff", "webp", "x-ms-bmp"})
"""Subtypes of the pictures that are read, as mails name them."""
A_PICTURE = "a picture"
MAX_PICTURE_BYTES = 50 * 1024 * 1024
MAX_BYTES_BESIDE = 256 * 1024 * 1024
"""Of the picture files of one page together."""
_EMBEDDED = re.compile(rb'(?:r:embed|r:id|o:relid)="([^"]{1,100})"')
_RELATION = re.compile(rb"<Relationship\b[^>]{1,2000}>")
_ID = re.compile(rb'\bId="([^"]{1,100})"')
_TARGET = re.compile(rb'\bTarget="([^"]{1,500})"')
_DATA = re.compile(
    r"""(=\s{0,9}["']\s{0,9})data:image/([^"'<>,]{1,200}),([^"'<>]*)""", re.IGNORECASE
)
_HELD = "data:"


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


class Shown(NamedTuple):
    """A picture that a page shows: after how many of its blocks, and the address of its file."""

    at: int
    address: str


class HeldPictures:
    """The pictures that the source of a page holds as `data:` addresses.

    Args:
        source: The page.

    Attributes:
        source: The page with a number for each such picture: the parser of pages drops an
            attribute of ten million characters.
    """

    def __init__(self, source: str) -> None:
        self._found: list[tuple[str, str]] = []
        self.source = _DATA.sub(self._take, source)

    def _take(self, match: re.Match[str]) -> str:
        self._found.append((match[2].lower(), match[3]))
        return f"{match[1]}{_HELD}{len(self._found) - 1}"

    def get(self, address: str) -> bytes | None:
        """Return a picture of a kind that is read, by the address that stands for it."""
        number = address.removeprefix(_HELD)
        if number == address or not number.isdecimal() or int(number) >= len(self._found):
            return None
        kind, told = self._found[int(number)]
        if kind.partition(";")[0] not in PICTURE_KINDS or len(told) > 3 * MAX_PICTURE_BYTES:
            return None
        if not kind.endswith(";base64"):
            return unquote_to_bytes(told)
        try:
            return base64.b64decode("".join(unquote(told).split()))
        except (binascii.Error, ValueError):
            return b""  # it is named as no readable picture


def pictures_of_page(
    shown: Iterable[Shown],
    held: HeldPictures,
    file_of: Callable[[str], Path | bytes | None],
    place: str = "",
) -> Iterator[Picture]:
    """Yield the pictures of a page in their order, each once, without those elsewhere in the web.

    Args:
        shown: As the page shows them.
        held: Those within the page.
        file_of: Returns the file, or what it holds, that a relative address names.
        place: Place of the page, such as "chapter 3"; empty where it is the document.
    """
    before = f"{place}, " if place else ""
    once: dict[str, int] = {}
    for at, address in shown:
        once.setdefault(address, at)
    for number, (address, at) in enumerate(once.items(), start=1):
        found: Path | bytes | None = held.get(address)
        if found is None and (relative := _relative(address)):
            found = file_of(relative)
        name = f"{before}picture {number}"
        if isinstance(found, Path):
            yield Picture(name, at, A_PICTURE, path=found)
        elif found is not None and len(found) <= MAX_PICTURE_BYTES:
            yield Picture(name, at, A_PICTURE, data=found)


def _relative(address: str) -> str:
    """Return the path of a picture file that is read, empty for an address of the web."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    path = unquote(parts.path)
    is_file = not parts.scheme and not parts.netloc and not path.startswith("/")
    is_read = posixpath.splitext(path)[1].lower() in PICTURE_SUFFIXES
    return path if is_file and is_read and "\0" not in path else ""


def with_files_beside(content: Content, path: Path, root: str | None) -> Content:
    """Return a page with what its picture files hold.

    Args:
        content: As its reader found it.
        path: Its file.
        root: Real path of the folder that its pictures may lie in; where None, none is read.
    """
    pictures: list[Picture] = []
    left_out: list[tuple[str, str]] = []
    left = MAX_BYTES_BESIDE
    for picture in content.pictures:
        file = picture.path
        if file is None or file == path:
            pictures.append(picture)
            continue
        real = os.path.realpath(file)
        if root is None or not os.path.isfile(real):
            continue
        if not Path(real).is_relative_to(root):
            reason = f"{file.name} lies outside of {root}: name a folder that holds both"
            left_out.append((picture.name, reason))
            continue
        try:
            data = _held_by(real, min(left, MAX_PICTURE_BYTES))
        except InputError as error:
            left_out.append((picture.name, f"{file.name} {error.message}"))
        else:
            left -= len(data)
            pictures.append(replace(picture, path=None, data=data))
    return replace(content, pictures=tuple(pictures), left_out=(*content.left_out, *left_out))


def _held_by(file: str, most: int) -> bytes:
    """Return what a file holds.

    Raises:
        InputError: If it holds more bytes than `most`, or cannot be read.
    """
    try:
        size = os.path.getsize(file)
        if size > most:
            raise InputError(f"has {size / 1e6:.0f} MB, more than is read")
        return Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}") from error
