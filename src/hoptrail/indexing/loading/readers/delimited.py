"""Tables as text: values between commas, semicolons, tabs or bars, read row by row."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.encodings import decoded
from hoptrail.indexing.loading.readers.tables import TooManyColumnsError, told_rows
from hoptrail.indexing.loading.readers.titles import name_as_words

_DELIMITERS = ",;\t|"
_TOLD = re.compile(r"\"?sep=([^\w\s\"]|\t)\"?\n")
_SAMPLE = 20  # lines
_LONGEST_FIELD = 131_072


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
