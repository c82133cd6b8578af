"""Files of triples that others extracted: which form one has, and those of passages."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

from hoptrail.core.errors import InputError
from hoptrail.core.types import ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.readers.raw_bytes import Row, read_rows, text_field

TripleForm = Literal["passages", "bare", "numbered"]

_RULES = "1"  # of how a bare list is read; another one reads unchanged files again
_COMPRESSED = ".gz"
_JSON_LINES = frozenset({".jsonl", ".ndjson"})
_NUMBERED_END = "_triples.tsv"

Triple = tuple[str, str, str]


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


@dataclass(frozen=True, slots=True)
class PassageTriples:
    """One line of a JSON Lines file: the triples of a passage."""

    passage_id: str
    title: str
    text: str
    extraction: Extraction


def read_passages(path: Path) -> Iterator[PassageTriples | Skipped]:
    """Yield the triples of a JSON Lines file, compressed or not, by passage.

    What is malformed is yielded as `Skipped` with file and line.
    """
    with open_triples(path) as stream:
        for row in read_rows(stream, str(path)):
            if isinstance(row, Skipped):
                yield row
                continue
            number, fields = row
            triples, malformed = _valid_triples(fields.get("triples"))
            if malformed:
                yield Skipped(f"{path}:{number}", f"{malformed} malformed triples left out")
            passage = _passage(fields, triples)
            if passage is None:
                yield Skipped(f"{path}:{number}", 'neither "passage_id" nor "text"')
            else:
                yield passage


def to_extraction(triples: Sequence[Triple], entities: Sequence[str] = ()) -> Extraction:
    """Return triples and further entity names as an extraction."""
    return Extraction(
        tuple(ExtractedEntity(name) for name in dict.fromkeys(entities)),
        tuple(ExtractedRelation(*triple) for triple in dict.fromkeys(triples)),
    )


def split_by_chunk(extraction: Extraction, texts: Sequence[str]) -> list[Extraction]:
    """Return one extraction per text: each relation and entity goes to the text that names it.

    A relation goes to the first text with both ends, else with one of them, else to the first.
    """
    folded = [text.casefold() for text in texts]
    entities: list[list[ExtractedEntity]] = [[] for _ in texts]
    relations: list[list[ExtractedRelation]] = [[] for _ in texts]
    for entity in extraction.entities:
        entities[_best_place(folded, [entity.name])].append(entity)
    for relation in extraction.relations:
        relations[_best_place(folded, [relation.subject, relation.object])].append(relation)
    return [Extraction(tuple(e), tuple(r)) for e, r in zip(entities, relations, strict=True)]


def _best_place(texts: Sequence[str], names: Sequence[str]) -> int:
    counts = [sum(name.casefold() in text for name in names) for text in texts]
    return counts.index(max(counts))


def _passage(row: Row, triples: list[Triple]) -> PassageTriples | None:
    passage_id = text_field(row, "passage_id") or text_field(row, "id") or ""
    title, text = row.get("title"), row.get("text")
    body = text if isinstance(text, str) else ""
    if not passage_id and not body.strip():
        return None
    listed = row.get("entities")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    heading = title.strip() if isinstance(title, str) else ""
    return PassageTriples(passage_id, heading, body, to_extraction(triples, names))


def _valid_triples(value: object) -> tuple[list[Triple], int]:
    """Return the well-formed triples of a JSON value, and how many entries are not."""
    if value is None:
        return [], 0
    if not isinstance(value, list):
        return [], 1
    triples = [
        (item[0].strip(), item[1].strip(), item[2].strip())
        for item in value
        if isinstance(item, list)
        and len(item) == 3
        and all(isinstance(part, str) and part.strip() for part in item)
    ]
    return triples, len(value) - len(triples)
