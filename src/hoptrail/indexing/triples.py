"""Triples that others extracted: by passage, or as a bare list."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.indexing.jsonl import Row, read_rows, text_field
from hoptrail.indexing.reading import check_file
from hoptrail.indexing.skipped import Skipped

_HEADS = ("head", "subject", "source", "s", "h")
_RELATIONS = ("relation", "predicate", "property", "edge", "p", "r")
_TAILS = ("tail", "object", "target", "o", "t")

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class PassageTriples:
    """What one line of a JSON Lines file says about a passage."""

    passage_id: str
    title: str
    text: str
    extraction: Extraction


@dataclass(frozen=True, slots=True)
class BareTriples:
    """All triples of a file without passages."""

    extraction: Extraction


def read_triples(path: Path) -> Iterator[PassageTriples | BareTriples | Skipped]:
    """Yield the triples of a file: JSON Lines by passage, else all at once.

    Other files are CSV or TSV with a header (by their ending), or `head|relation|tail` lines. What
    is malformed is yielded as `Skipped` with file and line.
    """
    try:
        check_file(path)
        if path.suffix.lower() in {".jsonl", ".ndjson"}:
            yield from _read_passages(path)
        else:
            yield from _read_bare(path)
    except InputError as error:
        yield Skipped(str(path), error.message)
    except UnicodeDecodeError:
        yield Skipped(str(path), "not text in UTF-8")
    except OSError as error:
        yield Skipped(str(path), error.strerror or str(error))


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


def _read_passages(path: Path) -> Iterator[PassageTriples | Skipped]:
    with path.open("rb") as stream:
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


def _read_bare(path: Path) -> Iterator[BareTriples | Skipped]:
    triples: list[Triple] = []
    malformed: list[int] = []
    for number, parts in _table_rows(path):
        fields = [part.strip() for part in parts]
        if len(fields) == 3 and all(fields):
            triples.append((fields[0], fields[1], fields[2]))
        else:
            malformed.append(number)
    if malformed:
        reason = f"{len(malformed)} malformed lines left out, the first one is this"
        yield Skipped(f"{path}:{malformed[0]}", reason)
    if triples:
        yield BareTriples(to_extraction(triples))
    elif not malformed:
        yield Skipped(str(path), "holds no triples")


def _table_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of each line that is not blank, in the order of a triple."""
    delimiter = {".csv": ",", ".tsv": "\t"}.get(path.suffix.lower())
    with path.open(encoding="utf-8-sig", newline="" if delimiter else None) as stream:
        if delimiter is None:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, line.split("|")
            return
        reader = csv.reader(stream, delimiter=delimiter)
        columns = _columns(next(reader, []))
        try:
            for row in reader:
                if any(part.strip() for part in row):
                    yield reader.line_num, [row[i] for i in columns if i < len(row)]
        except csv.Error as error:
            raise InputError(f"line {reader.line_num}: {error}") from error


def _columns(header: list[str]) -> tuple[int, int, int]:
    names = [name.strip().lower() for name in header]
    found = [
        next((names.index(name) for name in wanted if name in names), -1)
        for wanted in (_HEADS, _RELATIONS, _TAILS)
    ]
    if -1 in found:
        raise InputError("the header must name head, relation and tail")
    return found[0], found[1], found[2]
