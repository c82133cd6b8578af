"""The objects of a data file: JSON Lines, one JSON list, or Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.eval.files.fields import Fields
from hoptrail.eval.files.json_lines import open_binary, read_json_lines

_SNIFFED_BYTES = 4096
_BETWEEN_ITEMS = " \t\r\n,"


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
