"""The rows of a Microsoft GraphRAG index as values, whichever version wrote them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.optional import require
from hoptrail.indexing.loading.files import PARQUET, Skipped, plain, table_file
from hoptrail.indexing.loading.readers.raw_bytes import read_rows

Row = dict[str, Any]
_MOST_LEVELS = 100


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


DOCUMENTS = Columns({"id": ("id",), "text": ("text", "raw_content")}, {"title": ("title",)})
TEXT_UNITS = Columns(
    {"id": ("id",), "text": ("text",), "documents": ("document_ids", "document_id")},
    {"number": ("human_readable_id",)},
)
ENTITIES = Columns(
    {"id": ("id",), "name": ("title", "name")},
    {
        "number": ("human_readable_id",),
        "type": ("type",),
        "description": ("description",),
        "units": ("text_unit_ids",),
    },
)
RELATIONSHIPS = Columns(
    {"source": ("source",), "target": ("target",)},
    {
        "number": ("human_readable_id",),
        "description": ("description",),
        "weight": ("weight",),
        "units": ("text_unit_ids",),
    },
)
COMMUNITIES = Columns(
    {"number": ("community", "id"), "level": ("level",)},
    {"title": ("title",), "parent": ("parent",), "entities": ("entity_ids",)},
)
REPORTS = Columns(
    {"community": ("community",), "summary": ("summary",), "findings": ("findings",)},
    {
        "title": ("title",),
        "rating": ("rank", "rating"),
        "rating_reason": ("rating_explanation", "rank_explanation"),
    },
)
NODES = Columns({"name": ("title",), "community": ("community",)})


@dataclass(frozen=True, slots=True)
class GivenDocument:
    """A document of the index."""

    id: str
    title: str
    text: str

    @classmethod
    def of(cls, row: Row) -> GivenDocument:
        """Read a row of `DOCUMENTS`."""
        return cls(_text(row, "id"), _text(row, "title"), _body(row, "text"))


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A passage; `number` is its human-readable id, `documents` the ids it was cut from."""

    id: str
    number: int
    text: str
    documents: tuple[str, ...]

    @classmethod
    def of(cls, row: Row, place: int) -> TextUnit:
        """Read a row of `TEXT_UNITS`; `place` is its number where it has none."""
        return cls(
            id=_text(row, "id"),
            number=_number(row, "number", place),
            text=_body(row, "text"),
            documents=_texts(row, "documents"),
        )


@dataclass(frozen=True, slots=True)
class GivenEntity:
    """An entity; relationships name it by its very name."""

    id: str
    number: int
    name: str
    type: str
    description: str
    units: tuple[str, ...]

    @classmethod
    def of(cls, row: Row, place: int) -> GivenEntity:
        """Read a row of `ENTITIES`; `place` is its number where it has none."""
        return cls(
            id=_text(row, "id"),
            number=_number(row, "number", place),
            name=_text(row, "name"),
            type=_text(row, "type"),
            description=_text(row, "description"),
            units=_texts(row, "units"),
        )


@dataclass(frozen=True, slots=True)
class Relationship:
    """A described relation between two names."""

    number: int
    source: str
    target: str
    description: str
    weight: float
    units: tuple[str, ...]

    @property
    def is_usable(self) -> bool:
        """Whether it has two different ends."""
        return bool(self.source and self.target) and self.source != self.target

    @classmethod
    def of(cls, row: Row, place: int) -> Relationship:
        """Read a row of `RELATIONSHIPS`; `place` is its number where it has none."""
        return cls(
            number=_number(row, "number", place),
            source=_text(row, "source"),
            target=_text(row, "target"),
            description=_text(row, "description"),
            weight=_real(row, "weight", 1.0),
            units=_texts(row, "units"),
        )


@dataclass(frozen=True, slots=True)
class GivenCommunity:
    """A community; level 0 is the coarsest, members are entity ids of the index."""

    number: int
    level: int
    title: str
    parent: int | None
    entities: tuple[str, ...]

    @classmethod
    def of(cls, row: Row) -> GivenCommunity:
        """Read a row of `COMMUNITIES`; a parent of -1 is none.

        Raises:
            InputError: If its number or level is none.
        """
        parent, level = _number(row, "parent", -1), _number(row, "level")
        if not 0 <= level < _MOST_LEVELS:
            raise InputError(f"no hierarchy has a level {level}")
        return cls(
            number=_number(row, "number"),
            level=level,
            title=_text(row, "title"),
            parent=parent if parent >= 0 else None,
            entities=_texts(row, "entities"),
        )


@dataclass(frozen=True, slots=True)
class GivenReport:
    """A community's report; findings are pairs of summary and explanation."""

    community: int
    title: str
    summary: str
    rating: float
    rating_reason: str
    findings: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, row: Row) -> GivenReport:
        """Read a row of `REPORTS`."""
        return cls(
            community=_number(row, "community"),
            title=_text(row, "title"),
            summary=_text(row, "summary"),
            rating=_real(row, "rating", 0.0),
            rating_reason=_text(row, "rating_reason"),
            findings=_findings(row.get("findings")),
        )


@dataclass(frozen=True, slots=True)
class GivenIndex:
    """All that is imported of an index folder."""

    documents: list[GivenDocument]
    units: list[TextUnit]
    entities: list[GivenEntity]
    relationships: list[Relationship]
    communities: list[GivenCommunity]
    reports: list[GivenReport]

    @property
    def missing_names(self) -> set[str]:
        """The names that relationships use and the table of entities lacks."""
        known = {entity.name for entity in self.entities}
        usable = [one for one in self.relationships if one.is_usable]
        return {name for one in usable for name in (one.source, one.target)} - known


def _findings(value: object) -> tuple[tuple[str, str], ...]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InputError("a report's findings are not a list") from error
    listed = value if isinstance(value, list) else []
    return tuple(
        (_text(item, "summary"), _text(item, "explanation"))
        for item in listed
        if isinstance(item, dict)
    )


def _body(row: Row, name: str) -> str:
    """Return a text with its outer white space, which offsets count."""
    value = row.get(name)
    return plain(value) if isinstance(value, str) else ""


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    if value is None or isinstance(value, float) and math.isnan(value):
        return ""
    return plain(str(value)).strip()


def _texts(row: Row, name: str) -> tuple[str, ...]:
    value = row.get(name)
    if isinstance(value, str):
        return (value,)
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def _number(row: Row, name: str, default: int | None = None) -> int:
    try:
        return int(float(_text(row, name)))  # a column with gaps holds floats
    except (ValueError, OverflowError) as error:
        if default is None:
            raise InputError(f"{name} is no number: {_text(row, name)!r}") from error
        return default


def _real(row: Row, name: str, default: float) -> float:
    value: Any = row.get(name)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return default
    return number if math.isfinite(number) else default
