"""Files of triples: which form one has, whether it changed, and its lines."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

from hoptrail.core.errors import InputError

TripleForm = Literal["passages", "bare", "numbered"]

_RULES = "1"  # of how a bare list is read; another one reads unchanged files again
_COMPRESSED = ".gz"
_JSON_LINES = frozenset({".jsonl", ".ndjson"})
_NUMBERED_END = "_triples.tsv"


@dataclass(frozen=True, slots=True)
class NumberedFiles:
    """A graph in three files: rows of 0-based line numbers in a list of nodes and of relations."""

    triples: Path
    nodes: Path
    relations: Path


def triple_form(path: Path) -> TripleForm:
    """Return how a file states its triples.

    `numbered`: NAME_triples.tsv beside NAME_nodes.txt and NAME_relations.txt; `passages`: JSON
    Lines whose first object names a passage or lists triples; else `bare`. Each file may be
    compressed (.gz).

    Raises:
        InputError: If the file is missing, empty or no regular file.
        OSError: If it cannot be read.
    """
    if not path.exists():
        raise InputError("no such file")
    if not path.is_file():
        raise InputError("not a regular file")
    if path.stat().st_size == 0:
        raise InputError("empty file")
    if numbered_files(path) is not None:
        return "numbered"
    return "passages" if plain_suffix(path) in _JSON_LINES and _names_passages(path) else "bare"


def numbered_files(path: Path) -> NumberedFiles | None:
    """Return the three files of a numbered graph by that of its triples, None for another file."""
    name = path.name.removesuffix(_COMPRESSED)
    if not name.endswith(_NUMBERED_END):
        return None
    stem = name.removesuffix(_NUMBERED_END)
    nodes, relations = (
        _existing(path.with_name(f"{stem}_{part}.txt")) for part in ("nodes", "relations")
    )
    return None if nodes is None or relations is None else NumberedFiles(path, nodes, relations)


def plain_suffix(path: Path) -> str:
    """Return the ending that tells the format, in lower case: `.csv` for `a.csv.gz`."""
    return Path(path.name.removesuffix(_COMPRESSED)).suffix.lower()


def plain_stem(path: Path) -> str:
    """Return the name without its endings: `facts` for `facts.csv.gz`."""
    return Path(path.name.removesuffix(_COMPRESSED)).stem


def files_digest(path: Path) -> str:
    """Return the hash of a bare or numbered list's bytes."""
    numbered = numbered_files(path)
    files = [path] if numbered is None else [path, numbered.nodes, numbered.relations]
    digest = hashlib.sha256(_RULES.encode())
    for file in files:
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


@contextmanager
def open_triples(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, decompressed.

    Raises:
        InputError: While it is read, if the compressed data are damaged.
        OSError: If it cannot be read.
    """
    if path.suffix.lower() != _COMPRESSED:
        with path.open("rb") as stream:
            yield stream
        return
    try:
        with gzip.open(path) as unpacked:
            yield cast(BinaryIO, unpacked)
    except (gzip.BadGzipFile, EOFError) as error:
        raise InputError("damaged gzip file") from error


def _existing(path: Path) -> Path | None:
    found = (file for file in (path, path.with_name(path.name + _COMPRESSED)) if file.is_file())
    return next(found, None)


def _names_passages(path: Path) -> bool:
    with open_triples(path) as stream:
        first = next((line for line in stream if line.strip()), b"")
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return True  # the reader of passages tells what is wrong with it
    return isinstance(row, dict) and not {"passage_id", "id", "text", "triples"}.isdisjoint(row)
