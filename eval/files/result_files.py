"""Files of results: each is seen whole or not at all, a log line by line as work finishes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict


def make_folder(path: Path) -> None:
    """Make a folder for results where there is none.

    Raises:
        InputError: If it cannot be made, as where a file has its name.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot be a folder: {error.strerror}", path=str(path), hint="give another --out"
        ) from error


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, never a part.

    Raises:
        InputError: If its folder cannot be made.
    """
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def write_object(path: Path, value: JsonDict) -> None:
    """Write a JSON object for people to read."""
    write_whole(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_object(path: Path) -> JsonDict:
    """Return the JSON object of a file.

    Raises:
        InputError: If it holds something else.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError("damaged, not a JSON object", path=str(path)) from error
    if not isinstance(value, dict):
        raise InputError("damaged, not a JSON object", path=str(path))
    return value


def require_same(known: JsonDict, wanted: JsonDict, path: Path, what: str) -> None:
    """Refuse to go on with results that were made in another way.

    Args:
        known: What they were made with.
        wanted: What they are to be made with now.
        path: Their folder.
        what: What they are, such as `a run`.

    Raises:
        InputError: If an entry of `wanted` is another one in `known`; names the first.
    """
    name = next((name for name in wanted if known.get(name) != wanted[name]), None)
    if name is None:
        return
    old, new = known.get(name), wanted[name]
    # Of a table, such as the hashes of all prompts, one entry tells enough.
    if isinstance(old, dict) and isinstance(new, dict):
        entry = next(key for key in {**old, **new} if old.get(key) != new.get(key))
        name, old, new = f"{name}.{entry}", old.get(entry), new.get(entry)
    raise InputError(
        f"the folder holds {what} with another {name}: {old!r}, not {new!r}",
        path=str(path),
        hint="use another --out folder",
    )


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
            stream.write(json_line(row))

    def replace(self, rows: Iterable[JsonDict]) -> None:
        """Make these the only objects, all at once."""
        write_whole(self.path, "".join(map(json_line, rows)))

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


def json_line(row: JsonDict) -> str:
    """Return an object as a line of JSON Lines."""
    return json.dumps(row, ensure_ascii=False) + "\n"
