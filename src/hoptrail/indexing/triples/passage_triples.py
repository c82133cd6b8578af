"""Triples that others extracted from passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.types import ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.indexing.loading.json_lines import Row, read_rows, text_field
from hoptrail.indexing.loading.skipped import Skipped
from hoptrail.indexing.triples.files import open_triples

Triple = tuple[str, str, str]


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
