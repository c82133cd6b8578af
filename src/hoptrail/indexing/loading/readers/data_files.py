"""Data as text: JSON, notebooks, and tables with delimiters."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.chat_exports import read_conversations, read_export, slack_names
from hoptrail.indexing.loading.conversations import lay_out, title_of
from hoptrail.indexing.loading.readers.content import Block, Content, first_heading, name_as_words
from hoptrail.indexing.loading.readers.raw_bytes import decoded
from hoptrail.indexing.loading.readers.tables import TooManyColumnsError, told_rows
from hoptrail.indexing.loading.readers.text_files import markdown_blocks

_TITLES = ("title", "name", "subject")
_DEEPEST = 50
_LONGEST_OUTPUT = 20_000  # characters
_DELIMITERS = ",;\t|"
_TOLD = re.compile(r"\"?sep=([^\w\s\"]|\t)\"?\n")
_SAMPLE = 20  # lines
_LONGEST_FIELD = 131_072


def read_json(path: Path) -> Content:
    """Return what a JSON file says; the items of a list at the top have their number as place.

    An export of a chat is a conversation.

    Raises:
        InputError: If it is malformed or nested too deeply.
    """
    value = _parsed_json(decoded(path.read_bytes()))
    names = slack_names(path)
    if postings := read_export(value, names):
        channel = f"#{path.parent.name}" if names else ""
        title = ", ".join(filter(None, (channel, _title(value), title_of(postings))))
        return Content(title, (Block(lay_out(postings)),))
    if conversations := read_conversations(value):
        told = tuple(Block(lay_out(postings), name) for name, postings in conversations)
        return Content(name_as_words(path.stem), told)
    if isinstance(value, list):
        blocks = tuple(
            Block(text, f"item {number}")
            for number, item in enumerate(value, start=1)
            for text in _told(item, "", _DEEPEST)
        )
        return Content(name_as_words(path.stem), blocks)
    return Content(
        _title(value) or name_as_words(path.stem), tuple(map(Block, _told(value, "", _DEEPEST)))
    )


def _parsed_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        InputError: If it is malformed or nested too deeply.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"malformed JSON: {error.msg}, line {error.lineno}") from error
    except RecursionError as error:
        raise InputError("malformed JSON: nested too deeply") from error
    except ValueError as error:  # Python reads no number of thousands of digits
        raise InputError("malformed JSON: a number has too many digits") from error


def _title(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    given = (value.get(name) for name in _TITLES)
    return next((one.strip() for one in given if isinstance(one, str) and one.strip()), "")


def _told(value: Any, name: str, depth: int) -> Iterator[str]:
    """Yield the lines of a value; `name` says what it is."""
    if not depth:
        raise InputError(f"nested in more than {_DEEPEST} levels")
    prefix = f"{name}: " if name else ""
    if isinstance(value, dict):
        plain = {key: one for key, one in value.items() if not isinstance(one, dict | list)}
        row = "; ".join(f"{key}: {told}" for key, one in plain.items() if (told := _plain(one)))
        if row:
            yield prefix + row
        for key, one in value.items():
            if key not in plain:
                yield from _told(one, f"{name}, {key}" if name else key, depth - 1)
    elif isinstance(value, list):
        if all(not isinstance(one, dict | list) for one in value):
            if row := ", ".join(filter(None, map(_plain, value))):
                yield prefix + row
            return
        for one in value:
            yield from _told(one, name, depth - 1)
    elif told := _plain(value):
        yield prefix + told


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip()


def read_notebook(path: Path) -> Content:
    """Return the notes and printed texts of a notebook; its code is left out.

    Raises:
        InputError: If it is no notebook of format 4, which came in 2015.
    """
    book = _parsed_json(decoded(path.read_bytes()))
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise InputError("not a notebook: it has no cells (older than format 4?)")
    blocks = [
        replace(block, place=f"cell {number}")
        for number, cell in enumerate(cells, start=1)
        if isinstance(cell, dict)
        for block in _blocks(cell)
    ]
    title = first_heading(block.text for block in blocks)
    return Content(title or name_as_words(path.stem), tuple(blocks))


def _blocks(cell: dict[str, Any]) -> list[Block]:
    if cell.get("cell_type") == "markdown":
        return markdown_blocks(_joined(cell.get("source")))
    if cell.get("cell_type") == "raw":
        return [Block(_joined(cell.get("source")))]
    outputs = cell.get("outputs")
    return [Block(_printed(one)) for one in outputs or () if isinstance(one, dict)]


def _printed(output: dict[str, Any]) -> str:
    """Return what an output shows as text, from its beginning; pictures and errors show none."""
    data = output.get("data")
    shown = data.get("text/plain") if isinstance(data, dict) else output.get("text")
    return _joined(shown)[:_LONGEST_OUTPUT].strip()


def _joined(source: Any) -> str:
    if isinstance(source, list):
        return "".join(one for one in source if isinstance(one, str))
    return source if isinstance(source, str) else ""


def read_delimited(path: Path) -> Content:
    """Return the rows of a table, each with the names of its columns."""
    text = decoded(path.read_bytes())
    told = _TOLD.match(text)  # as Excel understands it; the row is none of the table
    if told is not None:
        text = text[told.end() :]
    delimiter = told[1] if told is not None else _delimiter(text)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    csv.field_size_limit(_LONGEST_FIELD)
    try:
        blocks = tuple(told.block(f"row {told.number}") for told in told_rows(rows))
    except TooManyColumnsError as error:
        raise InputError(str(error)) from error
    except csv.Error as error:
        raise InputError(f"not a readable table: {error}, line {rows.line_num}") from error
    return Content(name_as_words(path.stem), blocks)


def _delimiter(text: str) -> str:
    """Return the delimiter that most of the first lines have in the same number."""
    lines = [line for line in text[:_LONGEST_FIELD].splitlines()[:_SAMPLE] if line.strip()]

    def evenness(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in lines]
        usual = max(set(counts), key=counts.count, default=0)
        return (counts.count(usual) if usual else 0, usual)

    return max(_DELIMITERS, key=evenness) if lines else ","
