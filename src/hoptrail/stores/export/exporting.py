"""Writes a knowledge base to files: each is complete, or not there."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal, TextIO, cast, get_args

from hoptrail.core.errors import InputError
from hoptrail.stores.export.canonical_export import write_jsonl
from hoptrail.stores.export.graph_export import (
    write_entities_csv,
    write_graphml,
    write_relations_csv,
)

ExportFormat = Literal["jsonl", "graphml", "csv"]
_Writer = Callable[[sqlite3.Connection, TextIO], None]

_WRITERS: dict[ExportFormat, _Writer] = {
    "jsonl": write_jsonl,
    "graphml": write_graphml,
    "csv": write_relations_csv,
}


def export(
    connection: sqlite3.Connection, target: str | Path | TextIO, format: ExportFormat | None
) -> list[Path]:
    """Write to a file or stream, and return the files written.

    CSV to a file also writes `<stem>_entities.csv` beside it.

    Raises:
        InputError: If the format is not known or the file cannot be written.
    """
    if not isinstance(target, (str, Path)):
        _WRITERS[_checked(format or "jsonl", "the stream")](connection, target)
        return []
    path = Path(target)
    chosen = _checked(format or path.suffix.removeprefix(".").lower(), str(path))
    _write_file(connection, path, _WRITERS[chosen])
    if chosen != "csv":
        return [path]
    entities = path.with_name(f"{path.stem}_entities{path.suffix}")
    _write_file(connection, entities, write_entities_csv)
    return [path, entities]


def _checked(format: str, target: str) -> ExportFormat:
    if format not in get_args(ExportFormat):
        known = ", ".join(f".{name}" for name in get_args(ExportFormat))
        raise InputError(f"cannot export to {target}", hint=f"use a file that ends in {known}")
    return cast(ExportFormat, format)


def _write_file(connection: sqlite3.Connection, path: Path, write: _Writer) -> None:
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        # csv writes its own line ends, so the stream must not turn them into others.
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            write(connection, stream)
        os.replace(unfinished, path)
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}",
            path=str(path),
            hint="check the path, your rights and the free space",
        ) from error
    finally:
        with suppress(OSError):  # as where the folder may not even be looked into
            unfinished.unlink()
