"""The tables of a Microsoft GraphRAG index folder, under the names of any of its versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.index_folder import PARQUET, table_file
from hoptrail.indexing.loading.json_lines import read_rows
from hoptrail.indexing.loading.skipped import Skipped

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table are read: a field's name with the column names it had over time."""

    required: Mapping[str, tuple[str, ...]]
    optional: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find(self, present: set[str]) -> dict[str, str]:
        """Return the column of each field that is there.

        Raises:
            InputError: If a required one is not.
        """
        found: dict[str, str] = {}
        for name, known in {**self.required, **self.optional}.items():
            column = next((column for column in known if column in present), None)
            if column is not None:
                found[name] = column
            elif name in self.required:
                raise InputError(f"no column {' or '.join(map(repr, known))}")
        return found


def read_table(folder: Path, name: str, columns: Columns) -> list[Row]:
    """Return the rows of a table by field; a field whose column is missing is not in them.

    Raises:
        InputError: If there is no such table, it cannot be read, or lacks a required column.
        MissingExtraError: If it is a Parquet file and no reader is installed.
    """
    path = table_file(folder, name)
    if path is None:
        raise InputError(f"no table {name!r}: neither {name}.parquet nor {name}.jsonl")
    read = _parquet_rows if path.suffix == PARQUET else _json_rows
    try:
        return list(read(path, columns))
    except InputError as error:
        raise InputError(error.message, path=path.name) from error


def _parquet_rows(path: Path, columns: Columns) -> Iterator[Row]:
    parquet = require("pyarrow.parquet", extra="graphrag", purpose="reading Parquet files")
    arrow = require("pyarrow", extra="graphrag", purpose="reading Parquet files")
    try:
        with parquet.ParquetFile(path) as file:
            found = columns.find(set(file.schema_arrow.names))
            table = file.read(columns=sorted(set(found.values())))
    except (arrow.ArrowException, OSError) as error:
        raise InputError("not a readable Parquet file") from error
    for row in table.to_pylist():
        yield {name: row[column] for name, column in found.items()}


def _json_rows(path: Path, columns: Columns) -> Iterator[Row]:
    found: dict[str, str] | None = None
    with path.open("rb") as lines:
        for row in read_rows(lines, path.name):
            if isinstance(row, Skipped):
                raise InputError(f"line {row.path.rpartition(':')[2]}: {row.reason}")
            found = found or columns.find(set(row[1]))
            yield {name: row[1].get(column) for name, column in found.items()}
