"""Where a public set comes from, and the form that every set is read into."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.core.types import JsonDict
from hoptrail.eval.json_files import Fields, open_binary, read_json_lines
from hoptrail.eval.questions.graphs_file import Triple

Passage = tuple[str, str]
"""Title and text."""

_SNIFFED_BYTES = 4096
_BETWEEN_ITEMS = " \t\r\n,"


@dataclass(frozen=True, slots=True)
class Example:
    """A question (docs/evaluation.md), with the passages and the graph that it came with."""

    question: JsonDict
    passages: tuple[Passage, ...] = ()
    graph: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A public set; `passages` and `triples` belong to it as a whole.

    An example is None where a question has no answer that could be scored.
    """

    examples: Iterable[Example | None]
    passages: Iterable[Passage] = ()
    triples: Iterable[Triple] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a public set.

    Attributes:
        files: Glob patterns below the set's folder, of which the first that fits counts; `{split}`
            stands for the split as its authors call it, `{hub_split}` as the hub does.
        hub: Name on the hub and configuration; None where the hub has no copy in this form.
        is_whole: Whether it is not split; the hub calls its only split `train`.
        is_main: Whether it is the part that a path to a single file means.
    """

    files: tuple[str, ...]
    hub: tuple[str, str | None] | None = None
    is_whole: bool = False
    is_main: bool = True


class Origin(Protocol):
    """Gives the parts of a public set in one split."""

    @property
    def split(self) -> str:
        """The split, as the authors call it."""
        ...

    def files(self, part: Part) -> list[Path]:
        """Return the local files of a part."""
        ...

    def records(self, part: Part) -> Iterator[Fields]:
        """Yield the objects of a part."""
        ...


class LocalOrigin:
    """Files on this machine.

    Args:
        path: The folder of the set, or the file of its questions.
        split: Split to look for in a folder.

    Raises:
        InputError: If the path does not exist.
    """

    def __init__(self, path: Path, split: str) -> None:
        if not path.exists():
            raise InputError("no such file or folder", path=str(path))
        self.split = split
        self._path = path

    def files(self, part: Part) -> list[Path]:
        """Return the files of a part, sorted.

        Raises:
            InputError: If there is none.
        """
        if self._path.is_file() and part.is_main:
            return [self._path]
        folder = self._path.parent if self._path.is_file() else self._path
        names = {"split": self.split, "hub_split": _hub_split(self.split)}
        patterns = [pattern.format(**names) for pattern in part.files]
        for pattern in patterns:
            if found := sorted(folder.glob(pattern)):
                return found
        wanted = " or ".join(dict.fromkeys(patterns))
        raise InputError(
            f"there is no {wanted} in it", path=str(folder), hint="check the folder and --split"
        )

    def records(self, part: Part) -> Iterator[Fields]:
        """Yield the objects of a part's files."""
        for path in self.files(part):
            yield from read_records(path)


class HubOrigin:
    """The Hugging Face hub, through the `datasets` library.

    Args:
        split: Split as the authors call it; `dev` is `validation` on the hub.

    Raises:
        MissingExtraError: If the library is not installed.
    """

    def __init__(self, split: str) -> None:
        self.split = split
        self._library = require("datasets", extra="datasets", purpose="reading from the hub")

    def files(self, part: Part) -> list[Path]:
        """Raise: the hub gives records only.

        Raises:
            InputError: Always.
        """
        raise InputError(
            "this set is not on the hub in its original form",
            hint="download it from its authors and give its folder",
        )

    def records(self, part: Part) -> Iterator[Fields]:
        """Yield the rows of a part.

        Raises:
            InputError: If it is not on the hub or cannot be loaded.
        """
        if part.hub is None:
            self.files(part)
            return
        name, configuration = part.hub
        split = "train" if part.is_whole else _hub_split(self.split)
        try:
            rows = self._library.load_dataset(name, configuration, split=split)
        except (OSError, ValueError, RuntimeError) as error:
            raise InputError(
                f"{name} cannot be loaded: {error}", hint="or give a downloaded file or folder"
            ) from error
        for number, row in enumerate(rows, start=1):
            yield Fields(f"{name} {split}, record {number}", None, row)


def _hub_split(split: str) -> str:
    return "validation" if split == "dev" else split


def read_records(path: Path) -> Iterator[Fields]:
    """Yield the objects of a file one at a time; JSON may be compressed with gzip.

    Raises:
        InputError: If the file is missing or damaged, or holds something else; names the place.
        MissingExtraError: If it is Parquet and no package that reads it is installed.
    """
    if path.suffix == ".parquet":
        yield from _parquet_rows(path)
    elif _holds_a_list(path):
        yield from _list_items(path)
    else:
        yield from read_json_lines(path)


def _holds_a_list(path: Path) -> bool:
    with open_binary(path) as stream:
        head = stream.read(_SNIFFED_BYTES)
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


def _list_items(path: Path) -> Iterator[Fields]:
    """Yield the items of a JSON list, of which only the text is in memory as a whole."""
    with open_binary(path) as stream:
        try:
            text = stream.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError("not text in UTF-8", path=str(path)) from error
    decoder = json.JSONDecoder()
    number, place = 0, text.index("[") + 1
    while (place := _skip(text, place)) < len(text) and text[place] != "]":
        number += 1
        name = f"{path}, record {number}"
        try:
            item, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise InputError(f"malformed JSON: {error.msg}", path=name) from error
        if not isinstance(item, dict):
            raise InputError("not a JSON object", path=name)
        yield Fields(name, None, item)
    if place >= len(text):
        raise InputError("malformed JSON: the list does not end", path=str(path))


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in _BETWEEN_ITEMS:
        place += 1
    return place


def _parquet_rows(path: Path) -> Iterator[Fields]:
    parquet = require("pyarrow.parquet", extra="datasets", purpose="reading Parquet files")
    if not path.is_file():
        raise InputError("no such file", path=str(path))
    number = 0
    try:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=64):
            for row in batch.to_pylist():
                number += 1
                yield Fields(f"{path}, record {number}", None, row)
    except (OSError, ValueError) as error:
        raise InputError(f"no Parquet file that can be read: {error}", path=str(path)) from error
