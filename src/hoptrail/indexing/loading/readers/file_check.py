"""Checks before a file is read: not too large, not locked, no archive that bursts."""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hoptrail.core.errors import InputError

MAX_FILE_BYTES = 100 * 1024 * 1024
OLE_MARK = bytes.fromhex("d0cf11e0a1b11ae1")
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_OLE_HEAD = 4 * 1024 * 1024
MAX_ENTRIES = 10_000
MAX_UNPACKED = 256 * 1024 * 1024
MAX_XML = 64 * 1024 * 1024
_READ = 1024 * 1024
_MARKUP = (".xml", ".rels", ".vml")
_ENTITY = re.compile(rb"<\0?!\0?(?:D\0?O\0?C\0?T\0?Y\0?P\0?E|E\0?N\0?T\0?I\0?T\0?Y)")
_OVERLAP = 32
_IS_ENCRYPTED = 0x1


def check_file(path: Path, *, is_streamed: bool = False) -> None:
    """Check, without reading the file, that it can be read.

    Args:
        path: The file.
        is_streamed: Whether it is read a part at a time, so that it may be of any size.

    Raises:
        InputError: If it is missing, no regular file, empty or too large.
    """
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise InputError("no such file") from error
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error
    if not stat.S_ISREG(status.st_mode):
        raise InputError("not a regular file")
    size = status.st_size
    if size == 0:
        raise InputError("empty file")
    if size > MAX_FILE_BYTES and not is_streamed:
        raise InputError(f"{size / 1e6:.0f} MB, more than the limit of {MAX_FILE_BYTES >> 20} MiB")


def check_not_ole(path: Path, modern: str) -> None:
    """Check that a file is none of the Office formats from before 2007, nor an encrypted new one.

    Args:
        path: The file.
        modern: The suffix of the format that is read, such as ".docx".

    Raises:
        InputError: If it is one; the message says what to do.
    """
    with path.open("rb") as stream:
        head = stream.read(len(OLE_MARK))
        if head != OLE_MARK:
            return
        head += stream.read(_OLE_HEAD)
    if _ENCRYPTED in head:
        raise InputError("protected by a password: save a copy without it")
    raise InputError(f"an Office format from before 2007: save it as {modern}")


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive after a look at everything in it.

    What an entry says of its size is not trusted: all are unpacked once, a megabyte at a time.
    Entries that are archives themselves are never opened.

    Raises:
        InputError: If it is damaged, encrypted, unpacks to more than the limits, or its XML
            declares entities.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check(archive)
            yield archive
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError) as error:
        raise InputError("damaged: not a whole archive") from error


def _check(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    if len(entries) > MAX_ENTRIES:
        raise InputError(f"an archive of {len(entries):,} entries, more than {MAX_ENTRIES:,}")
    left = MAX_UNPACKED
    for entry in entries:
        if not entry.filename:
            raise InputError("damaged: a part of it has no name")
        if entry.flag_bits & _IS_ENCRYPTED:
            raise InputError("protected by a password: save a copy without it")
        is_markup = entry.filename.lower().endswith(_MARKUP)
        left -= _unpacked(archive, entry, min(left, MAX_XML) if is_markup else left, is_markup)


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int, is_markup: bool) -> int:
    """Return how many bytes an entry unpacks to."""
    size, before = 0, b""
    try:
        with archive.open(entry) as stream:
            while part := stream.read(_READ):
                size += len(part)
                if size > limit:
                    raise InputError(f"unpacks to more than {limit >> 20} MiB: a zip bomb?")
                if is_markup and _ENTITY.search(before + part):
                    raise InputError("its XML declares entities, which no Office file does")
                before = part[-_OVERLAP:]
    except InputError:
        raise
    except (OSError, RuntimeError, ValueError, zlib.error) as error:
        raise InputError(f"damaged: {entry.filename} cannot be unpacked") from error
    return size
