"""Results kept line by line as they finish, so that stopped work goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.files.text_files import make_folder, write_whole


class JsonlLog:
    """A file of JSON objects, one a line."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[JsonDict]:
        """Return the objects, none where there is no file; a last line that was cut off is dropped.

        Raises:
            InputError: If another line is no JSON object.
        """
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        return [self._parse(number, line) for number, line in enumerate(lines[:-1], 1)]

    def append(self, row: JsonDict) -> None:
        """Add an object, handed to the system when this returns."""
        make_folder(self.path.parent)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(_line(row))

    def replace(self, rows: Iterable[JsonDict]) -> None:
        """Make these the only objects, all at once."""
        write_whole(self.path, "".join(map(_line, rows)))

    def _parse(self, number: int, line: str) -> JsonDict:
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise InputError(
                "damaged row", path=str(self.path), line=number, hint="use another --out folder"
            )
        return row


def _line(row: JsonDict) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
