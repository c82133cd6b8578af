"""Where documents come from: the file of each, and the root of the source that it belongs to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote

from hoptrail.core.types import Record

_FILE = "file://"


@dataclass(frozen=True, slots=True)
class SourceRoot(Record):
    """Where the files of a source lie.

    `root` is an absolute path. `is_folder` tells a folder that was named itself, with all that is
    in it, from the folder around single files and from a corpus file.
    """

    name: str
    root: str
    is_folder: bool


class Origin(NamedTuple):
    """The file or address that a document was read from; up to format 6 a path as it was typed."""

    doc_id: str
    uri: str
    source: str

    @property
    def path(self) -> str | None:
        """The absolute path of the file, None where it is no file or its place is not known."""
        return path_of(self.uri) if self.uri.startswith(_FILE) else None


def file_uri(path: str) -> str:
    """Return the address of a file by its absolute path, which need not be UTF-8."""
    return f"{_FILE}{quote(path.replace(os.sep, '/'), errors='surrogateescape')}"


@lru_cache(maxsize=4096)  # all documents of a corpus have one file
def path_of(uri: str) -> str:
    """Return the path of a file by its address."""
    return unquote(uri.removeprefix(_FILE), errors="surrogateescape").replace("/", os.sep)
