"""Results kept line by line as they finish, so that stopped work goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from hoptrail.core.types import JsonDict
from hoptrail.eval.run_folder import read_rows


class JsonlLog:
    """A file of JSON objects, one a line."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[JsonDict]:
        """Return the objects, none where there is no file; a last line that was cut off is dropped.

        Raises:
            InputError: If another line is no JSON object.
        """
        return read_rows(self.path)

    def append(self, row: JsonDict) -> None:
        """Add an object, handed to the system when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(_line(row))

    def replace(self, rows: Iterable[JsonDict]) -> None:
        """Make these the only objects, all at once."""
        write_whole(self.path, "".join(map(_line, rows)))


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def _line(row: JsonDict) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
