"""Reads index folders of Microsoft GraphRAG, and stores them in a knowledge base."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.progress import Progress
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import (
    Chunk,
    Document,
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    NodeUsage,
)
from hoptrail.indexing.given_graphs.ms_graphrag.communities import GivenHierarchy, hierarchy_of
from hoptrail.indexing.given_graphs.ms_graphrag.graph import EXTRACTOR, PREDICATE
from hoptrail.indexing.given_graphs.ms_graphrag.records import (
    COMMUNITIES,
    DOCUMENTS,
    ENTITIES,
    NODES,
    RELATIONSHIPS,
    REPORTS,
    TEXT_UNITS,
    GivenCommunity,
    GivenDocument,
    GivenEntity,
    GivenIndex,
    GivenReport,
    Relationship,
    TextUnit,
    read_table,
)
from hoptrail.indexing.loading.documents import Source
from hoptrail.indexing.loading.files import Skipped, is_index_folder, real_path, table_file
from hoptrail.indexing.report import ImportedIndex, RunLog
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.source_table import file_uri

_METADATA = re.compile(r"\w[\w ]*: .*\.\s*")
_SEPARATOR = "\n\n"
_BROKEN_ENDS = "\ufffd"  # where a cut between tokens went through a character

Span = tuple[int, int]


def split_inputs(inputs: Iterable[Source]) -> tuple[list[Path], list[Source]]:
    """Return the inputs that are index folders, and the others."""
    folders: list[Path] = []
    others: list[Source] = []
    for item in inputs:
        if isinstance(item, str | Path) and is_index_folder(Path(item)):
            folders.append(Path(item))
        else:
            others.append(item)
    return folders, others


def import_indexes(
    kb: KnowledgeBase, folders: Sequence[Path], source: str | None, log: RunLog, progress: Progress
) -> list[GivenHierarchy]:
    """Store the documents of index folders and what they say about them; return the communities.

    A folder that cannot be used is logged as skipped.

    Args:
        kb: The knowledge base, open for writing.
        folders: The index folders.
        source: First part of the document ids; by default a folder's name.
        log: Gets the documents and what was imported.
        progress: Observer.

    Raises:
        MissingExtraError: If one is stored as Parquet and no reader is installed.
    """
    hierarchies: list[GivenHierarchy] = []
    for folder in folders:
        progress.start("import", None)
        try:
            hierarchies.append(_import(kb, folder, source, log))
        except InputError as error:
            log.skipped.append(Skipped(str(folder), error.message))
        progress.finish("import")
    return hierarchies


def place_folder(folder: Path, source: str | None) -> tuple[GivenIndex, list[PlacedText]]:
    """Read an index folder and return it with its documents and chunks.

    Raises:
        InputError: If the folder cannot be used.
        MissingExtraError: If it is stored as Parquet and no reader is installed.
    """
    index = read_index(folder)
    texts = list(place_texts(index, source or folder.resolve().name, file_uri(real_path(folder))))
    if not texts:
        raise InputError("no document has a text unit")
    return index, texts


def _import(kb: KnowledgeBase, folder: Path, source: str | None, log: RunLog) -> GivenHierarchy:
    with log.timed("load"):
        index, texts = place_folder(folder, source)
    chunk_ids = {unit: id_ for text in texts for unit, id_ in text.chunk_ids.items()}
    with log.timed("store"), kb.transaction():
        for text in texts:
            log.outcomes[text.document.id] = kb.put_document(text.document, text.chunks)
        _store_extractions(kb, index, texts, chunk_ids)
    hierarchy = hierarchy_of(index, chunk_ids)
    missing = index.missing_names
    log.imported.append(
        ImportedIndex(
            path=str(folder),
            entities=len(index.entities),
            untyped_entities=len(missing),
            relations=len(index.relationships),
            incomplete_relations=sum(
                one.is_usable and not missing.isdisjoint((one.source, one.target))
                for one in index.relationships
            ),
            communities=len(hierarchy.communities),
            reports=len(hierarchy.reports),
        )
    )
    return hierarchy


def _store_extractions(
    kb: KnowledgeBase,
    index: GivenIndex,
    texts: Sequence[PlacedText],
    chunk_ids: Mapping[str, str],
) -> None:
    """Store what the index says by passage; what has no passage belongs to the first document."""
    doc_ids = {chunk.id: chunk.doc_id for text in texts for chunk in text.chunks}
    first = texts[0].document.id
    for chunk_id, extraction in extractions(index, chunk_ids).items():
        doc_id = doc_ids[chunk_id] if chunk_id else first
        kb.put_extraction(doc_id, chunk_id, EXTRACTOR, extraction, NodeUsage())


def extractions(index: GivenIndex, chunk_ids: Mapping[str, str]) -> dict[str | None, Extraction]:
    """Return the entities and relations of an index by chunk, under None those of no passage.

    What stands in several passages is said of each, a relation with its share of the weight.

    Args:
        index: The index.
        chunk_ids: Ids of the chunks by id of the text unit.
    """
    entities: dict[str | None, list[ExtractedEntity]] = {}
    relations: dict[str | None, list[ExtractedRelation]] = {}
    for entity in index.entities:
        mention = ExtractedEntity(entity.name, entity.type, entity.description)
        for place in _places(entity.units, chunk_ids):
            entities.setdefault(place, []).append(mention)
    for one in index.relationships:
        places = _places(one.units, chunk_ids) if one.is_usable else []
        for place in places:
            relations.setdefault(place, []).append(
                ExtractedRelation(
                    one.source, PREDICATE, one.target, one.description, one.weight / len(places)
                )
            )
    found = {*chunk_ids.values(), *entities, *relations}
    return {
        place: Extraction(tuple(entities.get(place, ())), tuple(relations.get(place, ())))
        for place in sorted(found, key=lambda place: place or "")
    }


def _places(units: tuple[str, ...], chunk_ids: Mapping[str, str]) -> list[str | None]:
    known = dict.fromkeys(chunk_ids[unit] for unit in units if unit in chunk_ids)
    return list(known) or [None]


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A document with its text units as chunks; `chunk_ids` are by the id of the unit."""

    document: Document
    chunks: tuple[Chunk, ...]
    chunk_ids: dict[str, str]


def place_texts(index: GivenIndex, source: str, uri: str) -> Iterator[PlacedText]:
    """Yield the documents of an index that have text units.

    Microsoft GraphRAG may put lines such as `title: NAME.` before a unit's text; they are no part
    of the document and left out. A document in which a unit is not found gets the text of its
    units, one after the other.

    Args:
        index: The index.
        source: First part of the document ids.
        uri: Where the index is.
    """
    units: dict[str, list[TextUnit]] = {}
    for unit in index.units:
        if unit.documents and unit.text.strip():
            units.setdefault(unit.documents[0], []).append(unit)
    for given in index.documents:
        if given.id not in units:
            continue
        own = units[given.id]
        text = given.text
        spans = _spans(text, own)
        if spans is None:
            text, spans = _joined(own)
        document = Document(f"{source}/{given.id}", given.title, text, source, uri)
        yield _placed(document, own, spans)


def _spans(text: str, units: Sequence[TextUnit]) -> list[Span] | None:
    """Return where the units stand in a text, None if one does not."""
    spans: list[Span] = []
    begin = 0
    for unit in units:
        span = _find(text, unit.text, begin)
        if span is None:
            return None
        spans.append(span)
        begin = span[0] + 1
    return spans


def _find(text: str, unit: str, begin: int) -> Span | None:
    """Return where a unit stands, from `begin` on or else anywhere, if need be without metadata."""
    while wanted := unit.strip(_BROKEN_ENDS).strip():
        place = text.find(wanted, begin)
        if place < 0:
            place = text.find(wanted)
        if place >= 0:
            return place, place + len(wanted)
        line, _, unit = unit.partition("\n")
        if not _METADATA.fullmatch(line):
            return None
    return None


def _joined(units: Sequence[TextUnit]) -> tuple[str, list[Span]]:
    """Return the texts of the units one after the other, and where each stands."""
    spans: list[Span] = []
    begin = 0
    for unit in units:
        spans.append((begin, begin + len(unit.text)))
        begin += len(unit.text) + len(_SEPARATOR)
    return _SEPARATOR.join(unit.text for unit in units), spans


def _placed(document: Document, units: Sequence[TextUnit], spans: Sequence[Span]) -> PlacedText:
    chunks: dict[str, Chunk] = {}
    chunk_ids: dict[str, str] = {}
    for unit, (start, end) in zip(units, spans, strict=True):
        text = document.text[start:end]
        id_ = Chunk.make_id(document.id, start, end, text)
        tokens = estimate_tokens(text)
        chunks[id_] = Chunk(id_, document.id, document.title, text, start, end, tokens)
        chunk_ids[unit.id] = id_
    return PlacedText(document, tuple(chunks.values()), chunk_ids)


def read_index(folder: Path) -> GivenIndex:
    """Return the index of a folder: tables as Parquet or JSON Lines, of version 0.3 or later.

    An index without communities is one too.

    Raises:
        InputError: If a table or a column is missing, or a file cannot be read.
        MissingExtraError: If it is stored as Parquet and no reader is installed.
    """
    entities = [
        GivenEntity.of(row, i) for i, row in enumerate(read_table(folder, "entities", ENTITIES))
    ]
    has_communities = table_file(folder, "communities") or table_file(folder, "community_reports")
    return GivenIndex(
        documents=[GivenDocument.of(row) for row in read_table(folder, "documents", DOCUMENTS)],
        units=[
            TextUnit.of(row, i)
            for i, row in enumerate(read_table(folder, "text_units", TEXT_UNITS))
        ],
        entities=[entity for entity in entities if entity.name],
        relationships=[
            Relationship.of(row, i)
            for i, row in enumerate(read_table(folder, "relationships", RELATIONSHIPS))
        ],
        communities=_communities(folder, entities) if has_communities else [],
        reports=_reports(folder),
    )


def _reports(folder: Path) -> list[GivenReport]:
    if table_file(folder, "community_reports") is None:
        return []
    return [GivenReport.of(row) for row in read_table(folder, "community_reports", REPORTS)]


def _communities(folder: Path, entities: Sequence[GivenEntity]) -> list[GivenCommunity]:
    """Return the communities; early versions keep members elsewhere and no parents at all."""
    rows = read_table(folder, "communities", COMMUNITIES)
    found = [GivenCommunity.of(row) for row in rows]
    if rows and "entities" not in rows[0]:
        found = _with_members(folder, found, entities)
    if rows and "parent" not in rows[0]:
        found = _with_parents(found)
    return found


def _with_members(
    folder: Path, communities: Sequence[GivenCommunity], entities: Sequence[GivenEntity]
) -> list[GivenCommunity]:
    ids = {entity.name: entity.id for entity in entities}
    members: dict[str, dict[str, None]] = {}
    for row in read_table(folder, "nodes", NODES):
        entity_id = ids.get(str(row["name"]))
        if entity_id and row["community"] is not None:
            number = str(row["community"]).removesuffix(".0")
            members.setdefault(number, {}).setdefault(entity_id)
    return [replace(one, entities=tuple(members.get(str(one.number), ()))) for one in communities]


def _with_parents(communities: Sequence[GivenCommunity]) -> list[GivenCommunity]:
    """Return the communities with the one a level above that holds their members as parent."""
    holders = {(one.level, entity): one.number for one in communities for entity in one.entities}
    return [
        replace(one, parent=next((holders.get((one.level - 1, e)) for e in one.entities), None))
        for one in communities
    ]
