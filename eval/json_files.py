"""JSON files: those given, plain or compressed, and those of results.

Of what is read every error names file and line. A file of results is seen whole or not at all, a
log line by line as work finishes.
"""

from __future__ import annotations

import difflib
import gzip
import json
import math
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast

from hoptrail.core import whole_file
from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.readers.raw_bytes import read_rows

_GZIP_MARK = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Fields:
    """An object at a line of a file; `path` is what errors call the file."""

    path: str
    line: int | None
    row: Mapping[str, Any]

    def error(self, message: str, hint: str = "") -> InputError:
        """Return an error that names file and line."""
        return InputError(message, path=self.path, line=self.line, hint=hint)

    def text(self, name: str) -> str:
        """Return a text or number that must be there, without outer white space.

        Raises:
            InputError: If it is missing, empty or something else.
        """
        value = self.optional_text(name)
        if value:
            return value
        if name in self.row:
            raise self.error(f"the field {name!r} is empty or no text")
        raise self.error(f"the field {name!r} is missing", self.suggest(name))

    def optional_text(self, name: str) -> str | None:
        """Return a text or number as text, None where it is missing or something else."""
        return _as_text(self.row.get(name))

    def first_text(self, names: Sequence[str]) -> str | None:
        """Return the first of these fields that holds a text."""
        return next((text for name in names if (text := self.optional_text(name))), None)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a text or a list of texts, without empty ones and repetitions.

        Raises:
            InputError: If it is something else.
        """
        value = self.row.get(name)
        if value is None:
            return ()
        items = [_as_text(item) for item in (value if isinstance(value, list) else [value])]
        if None in items:
            raise self.error(f"the field {name!r} is no text and no list of texts")
        return tuple(dict.fromkeys(item for item in items if item))

    def first_texts(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the texts of the first of these fields that holds any."""
        return next((texts for name in names if (texts := self.texts(name))), ())

    def items(self, name: str) -> list[Any]:
        """Return a list, empty where it is missing.

        Raises:
            InputError: If it is something else.
        """
        value = self.row.get(name)
        if value is None or isinstance(value, list):
            return value or []
        raise self.error(f"the field {name!r} is no list")

    def objects(self, name: str) -> list[Fields]:
        """Return a list of objects, empty where it is missing.

        Raises:
            InputError: If it is something else.
        """
        items = self.items(name)
        if any(not isinstance(item, Mapping) for item in items):
            raise self.error(f"the field {name!r} is no list of objects")
        return [Fields(self.path, self.line, item) for item in items]

    def whole_number(self, name: str) -> int | None:
        """Return a whole number, None where it is missing.

        Raises:
            InputError: If it is something else.
        """
        value = self.row.get(name)
        if value is None or is_whole(value):
            return value
        raise self.error(f"the field {name!r} is no whole number")

    def whole_numbers(self, name: str) -> list[int]:
        """Return a list of whole numbers, empty where it is missing.

        Raises:
            InputError: If it is something else.
        """
        numbers = self.items(name)
        if all(is_whole(item) for item in numbers):
            return numbers
        raise self.error(f"the field {name!r} is no list of whole numbers")

    def refuse_misspelt(self, known: frozenset[str], cutoff: float) -> None:
        """Refuse a field that is almost a known one: what it says would silently count for nothing.

        Args:
            known: Names of fields, also those that only look like one.
            cutoff: From which likeness on a name is taken for a mistake (`difflib`'s ratio).

        Raises:
            InputError: If there is such a field; names it and what it may mean.
        """
        for name in self.row:
            meant = _almost(name, known, cutoff)
            if meant is not None and meant not in self.row:
                raise self.error(f"unknown field {name!r}", f"is it meant to be {meant!r}?")

    def suggest(self, name: str, known: Collection[str] = ()) -> str:
        """Return a hint at the field that may be meant by `name`, none of the `known` ones."""
        unknown = [field for field in self.row if field not in known]
        close = difflib.get_close_matches(name, unknown, n=1)
        return f"is {close[0]!r} meant to be {name!r}?" if close else "see docs/evaluation.md"


def is_whole(value: object) -> bool:
    """Return whether a JSON value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


@lru_cache(maxsize=1024)
def _almost(name: str, known: frozenset[str], cutoff: float) -> str | None:
    if name in known:
        return None
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=cutoff)
    return close[0] if close else None


def _as_text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    # NaN is what some tools write for a value that is missing.
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value).strip()


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
    whole_file.write_whole(path, text)


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
