"""Facts about a file before it is read: its size, and the kind of bytes that it holds."""

from __future__ import annotations

import stat
from pathlib import Path

from hoptrail.core.errors import InputError

MAX_FILE_BYTES = 100 * 1024 * 1024
OLE_MARK = bytes.fromhex("d0cf11e0a1b11ae1")
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_OLE_HEAD = 4 * 1024 * 1024


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
