"""JSON Lines files, plain or compressed, read so that every error names file and line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, cast

from hoptrail.core.errors import InputError
from hoptrail.eval.files.fields import Fields
from hoptrail.indexing.loading.json_lines import read_rows
from hoptrail.indexing.loading.left_out import Skipped

_GZIP_MARK = b"\x1f\x8b"


def read_json_lines(path: Path) -> Iterator[Fields]:
    """Yield the object of every line that is not blank; the whole file is never in memory.

    Raises:
        InputError: If the file is missing or damaged, or a line is no JSON object.
    """
    with open_binary(path) as stream:
        yield from parse_json_lines(stream, path)


def parse_json_lines(lines: Iterable[bytes], path: Path) -> Iterator[Fields]:
    """Yield the object of every line that is not blank.

    Args:
        lines: The lines of `path`, from its first.
        path: Named in errors.

    Raises:
        InputError: If a line is no JSON object, or its gzip file is damaged.
    """
    try:
        for row in read_rows(lines, str(path)):
            if isinstance(row, Skipped):
                raise InputError(row.reason, path=row.path)
            number, fields = row
            yield Fields(str(path), number, fields)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"damaged gzip file: {error}", path=str(path)) from error


def open_binary(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if it is a gzip file, whatever its name.

    Raises:
        InputError: If it is missing or cannot be read.
    """
    if not path.is_file():
        raise InputError("no such file", path=str(path))
    try:
        stream = path.open("rb")
        if stream.read(2) == _GZIP_MARK:
            stream.close()
            return cast(IO[bytes], gzip.open(path))
        stream.seek(0)
        return stream
    except OSError as error:
        raise InputError(error.strerror or str(error), path=str(path)) from error
