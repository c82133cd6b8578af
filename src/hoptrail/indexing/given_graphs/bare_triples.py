"""Reads a bare knowledge graph, a file of nothing but triples, into columns."""

from __future__ import annotations

import csv
import json
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from hoptrail.core.embedding import IntArray
from hoptrail.core.errors import InputError
from hoptrail.indexing.given_graphs.triples import (
    NumberedFiles,
    numbered_files,
    open_triples,
    plain_suffix,
)
from hoptrail.indexing.loading.files import Skipped
from hoptrail.stores.records.bare_graphs import TripleList

_HEADS = ("head", "subject", "source", "s", "h")
_RELATIONS = ("relation", "predicate", "property", "edge", "p", "r")
_TAILS = ("tail", "object", "target", "o", "t")
_REPORTED = 50_000  # lines between two reports of progress
_BLOCK_BYTES = 1 << 22

Fields = list[str]
Advance = Callable[[int], None]


def read_bare(path: Path, advance: Advance) -> tuple[TripleList | None, list[Skipped]]:
    """Return the triples of a bare or numbered list, None where there is none, and what is wrong.

    A bare list has lines `head|relation|tail`, or is CSV, TSV (`.csv`, `.tsv`, with a header) or
    JSON Lines (arrays of three texts, or objects with the same names as a header). Names are kept
    as they are (in lines and tables without white space at their ends): in a graph, two spellings
    are two nodes. A repeated triple counts once.

    Args:
        path: The file, compressed (.gz) or not.
        advance: Told how many further lines were read.

    Raises:
        InputError: If nothing of the file can be read.
        UnicodeDecodeError: If it is not UTF-8.
        OSError: If it cannot be read.
    """
    numbered = numbered_files(path)
    if numbered is not None:
        return _read_numbered(numbered, advance)
    with open_triples(path) as stream:
        return _read_rows(_rows(stream, plain_suffix(path)), path, advance)


def _read_rows(
    rows: Iterable[tuple[int, Fields]], path: Path, advance: Advance
) -> tuple[TripleList | None, list[Skipped]]:
    nodes: dict[str, int] = {}
    predicates: dict[str, int] = {}
    columns = array("i")
    malformed: list[int] = []
    waiting = 0
    for number, parts in rows:
        fields = [_storable(part.strip()) for part in parts]
        if len(fields) == 3 and all(fields):
            head, relation, tail = fields
            columns.append(nodes.setdefault(head, len(nodes)))
            columns.append(predicates.setdefault(relation, len(predicates)))
            columns.append(nodes.setdefault(tail, len(nodes)))
        else:
            malformed.append(number)
        waiting += 1
        if waiting == _REPORTED:
            advance(waiting)
            waiting = 0
    advance(waiting)
    skipped = _malformed(path, malformed)
    if not columns:
        return None, skipped or [Skipped(str(path), "holds no triples")]
    triples = _distinct_rows(np.array(columns, dtype=np.int32).reshape(-1, 3))
    return TripleList(list(nodes), list(predicates), triples), skipped


def _rows(stream: Iterable[bytes], suffix: str) -> Iterator[tuple[int, Fields]]:
    """Yield line number and fields of each line that is not blank, in the order of a triple."""
    if suffix in {".csv", ".tsv"}:
        yield from _table_rows(stream, "\t" if suffix == ".tsv" else ",")
    elif suffix in {".jsonl", ".ndjson"}:
        yield from _json_rows(stream)
    else:
        for number, line in enumerate(_text_lines(stream), 1):
            if line.strip():
                yield number, line.split("|")


def _table_rows(stream: Iterable[bytes], delimiter: str) -> Iterator[tuple[int, Fields]]:
    reader = csv.reader(_text_lines(stream), delimiter=delimiter)
    columns = _columns(next(reader, []))
    try:
        for row in reader:
            if any(part.strip() for part in row):
                yield reader.line_num, [row[i] for i in columns if i < len(row)]
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: {error}") from error


def _text_lines(stream: Iterable[bytes]) -> Iterator[str]:
    for place, line in enumerate(stream):
        yield line.decode("utf-8" if place else "utf-8-sig")


def _columns(header: list[str]) -> tuple[int, int, int]:
    names = [name.strip().lower() for name in header]
    found = [
        next((names.index(name) for name in wanted if name in names), -1)
        for wanted in (_HEADS, _RELATIONS, _TAILS)
    ]
    if -1 in found:
        raise InputError("the header must name head, relation and tail")
    return found[0], found[1], found[2]


def _json_rows(stream: Iterable[bytes]) -> Iterator[tuple[int, Fields]]:
    for number, line in enumerate(stream, 1):
        if line.strip():
            yield number, _json_fields(line)


def _json_fields(line: bytes) -> Fields:
    """Return the three texts of a line, none where it has another form."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return []
    if isinstance(row, dict):
        try:
            columns = _columns(list(row))
        except InputError:
            return []
        row = [list(row.values())[column] for column in columns]
    texts = isinstance(row, list) and all(isinstance(part, str) for part in row)
    return row if texts else []


def _read_numbered(
    files: NumberedFiles, advance: Advance
) -> tuple[TripleList | None, list[Skipped]]:
    (nodes, node_of), (predicates, predicate_of) = map(_names, (files.nodes, files.relations))
    limits = np.array([len(node_of), len(predicate_of), len(node_of)])
    parts: list[IntArray] = []
    malformed: list[int] = []
    first = 1
    with open_triples(files.triples) as stream:
        while lines := stream.readlines(_BLOCK_BYTES):
            rows, numbers, wrong = _number_rows(lines, first)
            fits = ((rows >= 0) & (rows < limits)).all(axis=1)
            subjects, kinds, objects = rows[fits].T
            parts.append(np.stack((node_of[subjects], predicate_of[kinds], node_of[objects]), 1))
            malformed += wrong + numbers[~fits].tolist()
            first += len(lines)
            advance(len(lines))
    skipped = _malformed(files.triples, sorted(malformed))
    triples = _distinct_rows(np.concatenate(parts)) if parts else np.zeros((0, 3), dtype=np.int32)
    if not len(triples):
        return None, skipped or [Skipped(str(files.triples), "holds no triples")]
    return TripleList(nodes, predicates, triples), skipped


def _number_rows(
    lines: list[bytes], first: int
) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]], IntArray, list[int]]:
    """Return the rows of three numbers, their line numbers, and the numbers of the other lines."""
    kept, numbers, wrong = [], [], []
    for number, line in enumerate(lines, first):
        parts = line.split()
        if len(parts) == 3 and all(part.isdigit() and len(part) < 10 for part in parts):
            kept += parts
            numbers.append(number)
        elif parts:
            wrong.append(number)
    rows = np.array(kept, dtype=np.int64).reshape(-1, 3)
    return rows, np.array(numbers, dtype=np.int32), wrong


def _names(path: Path) -> tuple[list[str], IntArray]:
    """Return the distinct names of a file, and for each of its lines the place of its name."""
    with open_triples(path) as stream:
        lines = stream.read().decode("utf-8-sig").split("\n")
    if not lines[-1]:
        lines.pop()
    names: dict[str, int] = {}
    places = [names.setdefault(_storable(line.rstrip("\r")), len(names)) for line in lines]
    return list(names), np.array(places, dtype=np.int32)


def _storable(name: str) -> str:
    # Lone surrogates pass through JSON escapes but cannot be stored; NUL separates names there.
    return name.replace("\0", " ").encode(errors="replace").decode()


def _distinct_rows(rows: IntArray) -> IntArray:
    """Return each row once, where it came first."""
    packed = np.ascontiguousarray(rows).view([("", rows.dtype)] * 3).ravel()
    places = np.unique(packed, return_index=True)[1]
    return rows[np.sort(places)]


def _malformed(path: Path, numbers: list[int]) -> list[Skipped]:
    if not numbers:
        return []
    reason = f"{len(numbers)} malformed lines left out, the first one is this"
    return [Skipped(f"{path}:{numbers[0]}", reason)]
