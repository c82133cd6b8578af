"""Tells the output folder of a Microsoft GraphRAG run from a folder of documents."""

from __future__ import annotations

import os
from pathlib import Path

PARQUET = ".parquet"
_GRAPH_TABLES = ("entities", "relationships", "communities", "community_reports")
_PREFIXES = ("", "create_final_")  # the second until version 0.5
_SUFFIXES = (PARQUET, ".jsonl")


def is_index_folder(path: Path) -> bool:
    """Return whether a folder holds the tables of a graph, two of the four at least."""
    return sum(table_file(path, name) is not None for name in _GRAPH_TABLES) > 1


def table_file(folder: Path, name: str) -> Path | None:
    """Return the file of a table, None where there is none, or none that may be read."""
    paths = (folder / f"{prefix}{name}{suffix}" for suffix in _SUFFIXES for prefix in _PREFIXES)
    return next((path for path in paths if os.path.isfile(path)), None)
