"""A knowledge base as its reader browses it: documents, entities and what is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from hoptrail.core.embedding import IntArray
from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.core.tables.table import Table, assemble_tables
from hoptrail.core.types import Chunk, Entity, JsonDict
from hoptrail.core.types.document import (
    UNSURE,
    ScannedPage,
    place_of,
    places_within,
    spans_within,
    unsure_spans,
)
from hoptrail.core.types.graph import CO_OCCURS
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.snapshot.graph_index import Csr, GraphIndex

LONGEST_WINDOW = 200_000
"""Characters of a document that are shown at once."""

_SHORT = 600  # characters of a description in a list
_LISTED = 5  # passages of a relation


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a document to show; all are counted in characters.

    Attributes:
        start: First character of the highlight, None without one.
        end: The one after its last.
        around: Where the part is laid around; else the middle of the highlight, else the beginning.
        length: Its length at most.
    """

    start: int | None
    end: int | None
    around: int | None
    length: int

    def within(self, total: int) -> tuple[int, int]:
        """Return beginning and end of the part in a document of `total` characters."""
        length = max(1, min(self.length, LONGEST_WINDOW))
        centre = self.around
        if centre is None and self.start is not None:
            centre = (self.start + (self.end or self.start)) // 2
        begin = max(0, min((centre or 0) - length // 2, total - length))
        return begin, min(total, begin + length)


def list_documents(kb: KnowledgeBase, search: str, *, limit: int, offset: int) -> JsonDict:
    """Return documents by id; see `Hoptrail.documents`."""
    wanted = search.casefold()
    sources = {one.id: one.source for one in kb.document_records()}
    found = [
        row
        for row in kb.ledger()
        if wanted in row.title.casefold() or wanted in row.doc_id.casefold()
    ]
    shown = found[offset : offset + limit]
    return {
        "documents": [
            {
                "doc_id": row.doc_id,
                "title": row.title,
                "source": sources.get(row.doc_id, ""),
                "state": row.status,
                "passages": row.chunks,
                "failed": row.failed,
            }
            for row in shown
        ],
        "total": len(found),
    }


def show_document(kb: KnowledgeBase, doc_id: str, window: Window) -> JsonDict:
    """Return a document or a part of it; see `Hoptrail.document`."""
    with kb.pinned():
        found = kb.store.documents([doc_id])
        chunks = kb.store.chunks(_chunk_ids(kb, doc_id)) if found else []
    if not found:
        raise UnknownNameError("document", doc_id, (), listing="list them to see their ids")
    document = found[0]
    places = tuple(sorted({place for chunk in chunks for place in chunk.places}))
    begin, end = window.within(len(document.text))
    pages = kb.document_scans(doc_id)
    unsure = spans_within(unsure_spans(pages), begin, end)
    return {
        "doc_id": document.id,
        "title": document.title,
        "source": document.source,
        "uri": document.uri,
        "metadata": dict(document.metadata),
        "text": document.text[begin:end],
        "offset": begin,
        "total": len(document.text),
        "places": [list(place) for place in places_within(places, begin, end)],
        "highlight": _highlight(window, places, len(document.text)),
        "pages": _quoted_pages(pages, window),
        "unsure": [list(span) for span in unsure],
    }


def quoted_pages(kb: KnowledgeBase, doc_id: str, start: int, end: int) -> list[JsonDict]:
    """Return the pages that show some characters; see `Hoptrail.quoted_pages`."""
    if not kb.store.documents([doc_id]):
        raise UnknownNameError("document", doc_id, (), listing="list them to see their ids")
    return _quoted_pages(kb.document_scans(doc_id), Window(start, end, None, 1))


def find_page_picture(
    seen: KnowledgeBase, whole: KnowledgeBase, doc_id: str, number: int
) -> bytes | None:
    """Return the picture of a page; see `Hoptrail.page_picture`.

    Args:
        seen: What the reader sees: it decides whether the document is there.
        whole: The whole base, which alone has the pictures.
        doc_id: The document.
        number: The page's number.
    """
    if not seen.store.documents([doc_id]):
        raise UnknownNameError("document", doc_id, (), listing="list them to see their ids")
    page = next(iter(seen.document_scans(doc_id, number)), None)
    return None if page is None else whole.shown_picture(page.picture)


def _quoted_pages(pages: Sequence[ScannedPage], window: Window) -> list[JsonDict]:
    if window.start is None:
        return []
    shown: list[JsonDict] = []
    for page in pages:
        words = page.words_within(window.start, window.end or window.start)
        if words:
            shown.append(
                {
                    "number": page.number,
                    "place": page.place,
                    "width": page.width,
                    "height": page.height,
                    "words": [
                        {**word.to_json(), "unsure": word.confidence < UNSURE} for word in words
                    ],
                }
            )
    return shown


def find_passage(kb: KnowledgeBase, chunk_id: str) -> JsonDict | None:
    """Return a passage, None where there is none of that id; see `Hoptrail.passage`."""
    found = kb.store.chunks([chunk_id])
    return _passage(found[0]) if found else None


def find_entities(kb: KnowledgeBase, search: str, *, limit: int) -> JsonDict:
    """Return entities by name; see `Hoptrail.entities`."""
    with kb.pinned():
        if search.strip():
            ids = kb.store.match_entities(search, limit + 1)
        else:
            degrees = np.diff(kb.index.entity_relations.indptr)
            rows = np.argsort(-degrees, kind="stable")[: limit + 1]
            ids = [str(id_) for id_ in kb.index.entity_ids[rows]]
        entities = kb.store.entities(ids[:limit])
        found = kb.index.entity_rows([entity.id for entity in entities])
        relations = [_row_length(kb.index.entity_relations, row) for row in found.tolist()]
    return {
        "entities": [
            {**_entity(entity), "description": entity.description[:_SHORT], "relations": count}
            for entity, count in zip(entities, relations, strict=True)
        ],
        "more": len(ids) > limit,
    }


def show_entity(kb: KnowledgeBase, entity_id: str, *, limit: int) -> JsonDict:
    """Return an entity with all that is told of it; see `Hoptrail.entity`."""
    with kb.pinned():
        index = kb.index
        found = kb.store.entities([entity_id])
        row = int(index.entity_rows([entity_id])[0]) if found else -1
        if row < 0:
            raise UnknownNameError("entity", entity_id, (), listing="search for it by its name")
        relation_rows = _most_telling(index.entity_relations.row(row), index)
        relations = kb.store.relations(_ids(index.relation_ids, relation_rows[:limit]))
        chunk_rows = index.entity_chunks.row(row)
        chunks = kb.store.chunks(_ids(index.chunk_ids, chunk_rows[:limit]))
        communities = kb.store.communities(_communities_of(kb, row), members=False)
    return {
        **_entity(found[0]),
        "aliases": list(found[0].aliases),
        "relations": [
            {
                "id": relation.id,
                "source": relation.source,
                "subject": relation.subject,
                "predicate": relation.predicate,
                "target": relation.target,
                "object": relation.object,
                "text": relation.text,
                "passages": len(relation.chunk_ids),
                "chunk_ids": list(relation.chunk_ids[:_LISTED]),
            }
            for relation in relations
        ],
        "relations_total": len(relation_rows),
        "passages": [_passage(chunk) for chunk in chunks],
        "passages_total": len(chunk_rows),
        "communities": [
            {
                "id": one.id,
                "level": one.level,
                "title": one.title,
                "summary": one.summary,
                "size": one.size,
            }
            for one in communities
        ],
    }


def _chunk_ids(kb: KnowledgeBase, doc_id: str) -> list[str]:
    place = int(np.searchsorted(kb.index.doc_ids, doc_id))
    if place >= len(kb.index.doc_ids) or kb.index.doc_ids[place] != doc_id:
        return []
    return _ids(kb.index.chunk_ids, np.flatnonzero(kb.index.chunk_doc == place).astype(np.int32))


def _highlight(window: Window, places: Any, total: int) -> JsonDict | None:
    if window.start is None:
        return None
    end = window.start if window.end is None else window.end
    if end < window.start:
        raise InputError(f"the range ends at {end}, before it begins at {window.start}")
    if not 0 <= window.start <= end <= total:
        raise InputError(
            f"characters {window.start} to {end} are not in the document, which has {total:,}",
            hint="it was indexed anew since: ask again",
        )
    return {"start": window.start, "end": end, "place": place_of(places, window.start, end)}


def _most_telling(relations: IntArray, index: GraphIndex) -> IntArray:
    """Return relations by how many passages tell them, those that only join two names last."""
    bounds = index.relation_chunks.indptr
    told = bounds[relations + 1] - bounds[relations]
    only_joins = index.predicates[index.relation_predicate[relations]] == CO_OCCURS
    return relations[np.lexsort((-told, only_joins))]


def _communities_of(kb: KnowledgeBase, entity_row: int) -> list[str]:
    """Return the ids of an entity's communities, from the finest to the coarsest."""
    index = kb.community_index
    row = int(index.of_entity[entity_row])
    rows: list[int] = []
    while row >= 0:
        rows.append(row)
        row = int(index.parent[row])
    return [str(index.ids[row]) for row in rows]


def _entity(entity: Entity) -> JsonDict:
    return {
        "id": entity.id,
        "name": entity.name,
        "type": entity.type,
        "description": entity.description,
    }


def _passage(chunk: Chunk) -> JsonDict:
    return {
        "chunk_id": chunk.id,
        "doc_id": chunk.doc_id,
        "title": chunk.title,
        "start": chunk.start,
        "end": chunk.end,
        "section": chunk.section,
        "place": chunk.place,
        "text": chunk.text,
    }


def _row_length(matrix: Csr, row: int) -> int:
    return 0 if row < 0 else int(matrix.indptr[row + 1] - matrix.indptr[row])


def _ids(known: Any, rows: IntArray) -> list[str]:
    return [str(id_) for id_ in known[rows]]


def list_tables(kb: KnowledgeBase) -> list[JsonDict]:
    """Return each table: `doc_id`, `number` in it, `name`, `columns`, `rows` and `totals`.

    Each of the `columns` has its `label`, the `kind` of its values (number, date, time or text) and
    their `unit`; `rows` counts those that tell of a thing, `totals` those that sum others up.
    """
    found: list[JsonDict] = []
    for _, chunks in groupby(kb.iter_table_chunks(), key=lambda chunk: chunk.doc_id):
        found += [_listed(table) for table in assemble_tables(chunks)]
    return found


def _listed(table: Table) -> JsonDict:
    return {
        "doc_id": table.doc_id,
        "number": table.number,
        "name": table.name,
        "columns": [
            {"label": column.label, "kind": column.kind, "unit": column.unit}
            for column in table.columns
        ],
        "rows": len(table.body),
        "totals": len(table.rows) - len(table.body),
    }
