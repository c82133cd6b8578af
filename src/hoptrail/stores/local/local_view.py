"""Makes the arrays of a view out of the items of a region; another server may have its vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.incidence import Hubs
from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Community, Document, Entity, Relation
from hoptrail.stores.knowledge_source import View
from hoptrail.stores.local.held_items import HeldItems, VectorSlab
from hoptrail.stores.local.spread import Region
from hoptrail.stores.protocols import GraphStore, VectorIndex, VectorKind
from hoptrail.stores.served_vector_index import ServedVectorIndex, relations_around
from hoptrail.stores.snapshot.graph_index import (
    CommunityIndex,
    Csr,
    GraphIndex,
    csr_from_pairs,
    id_array,
    rows_of,
    transposed,
)
from hoptrail.stores.snapshot.lexicon import Collection, Lexicon
from hoptrail.stores.snapshot.vector_index import NumpyVectorIndex
from hoptrail.stores.snapshot.vector_rows import nearest_places
from hoptrail.stores.vector_search import Keys, Nearest, ServedKind, ShownVectors

_SHORTEST = 1e-9
_WORDS_AT_ONCE = 1_000

_AHEAD: frozenset[ServedKind] = frozenset(("chunk", "relation"))
_MOST_AROUND = 1_000  # relations two steps away

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class SearchedVectors:
    """The finds of a server for a question, and where it is asked for more.

    Attributes:
        shown: The server's vectors.
        dim: Vector length.
        query: The question's unit vector, shape (dim,).
        nearest: The nearest to it by kind.
    """

    shown: ShownVectors
    dim: int
    query: FloatArray
    nearest: Mapping[ServedKind, Nearest]

    def of(
        self, items: Mapping[ServedKind, tuple[IdArray, Keys]], graph: GraphIndex
    ) -> dict[ServedKind, ServedVectorIndex]:
        """Return the vectors of a part of the base.

        Args:
            items: The sorted ids of the part's items by kind, with the keys of their vectors.
            graph: Of the part.
        """
        indexes: dict[ServedKind, ServedVectorIndex] = {}
        for kind, (ids, keys) in items.items():
            ahead = partial(self._ahead, indexes, kind, graph) if kind in _AHEAD else None
            indexes[kind] = ServedVectorIndex(
                kind, ids, keys, self.shown, self.dim, ahead=ahead, part=indexes
            )
            if kind in self.nearest:
                indexes[kind].take(self.query, self.nearest[kind], 0)
        return indexes

    def _ahead(
        self,
        indexes: Mapping[ServedKind, ServedVectorIndex],
        kind: ServedKind,
        graph: GraphIndex,
        places: IntArray,
    ) -> IntArray:
        """Return the places of items of a part whose vectors will be needed after those of some.

        Paths go on by the relations around, those near to the question first; words have the
        vectors of all their passages.
        """
        every = np.arange(len(indexes[kind].ids), dtype=np.int32)
        if kind != "relation":
            return every
        scores = indexes[kind].similarities_at(self.query, every)
        around = relations_around(graph, relations_around(graph, places))
        best = nearest_places(scores[around], _MOST_AROUND)
        return np.concatenate((around[best], nearest_places(scores, len(scores))))


def make_view(
    region: Region,
    held: HeldItems,
    records: GraphStore,
    searched: SearchedVectors | None = None,
) -> View:
    """Return the view of a region.

    Args:
        region: Its items.
        held: The generation that they belong to.
        records: What the view is not made of is read here.
        searched: The vectors, where another server than that of the graph has them.
    """
    index = _graph_index(region, held.generation)
    relations = [region.relations[id_] for id_ in index.relation_ids.tolist()]
    shared = [one.predicate if one.is_bare else "" for one in relations]
    is_shared = np.array([bool(one) for one in shared], dtype=np.bool_)
    report_ids = id_array(sorted(held.communities))
    known: dict[VectorKind, VectorIndex]
    if searched is None:
        known = {
            "chunk": _vectors(index.chunk_ids, held.chunk_vectors),
            "entity": _vectors(index.entity_ids, held.entity_vectors),
            "relation": _relation_vectors(index.relation_ids, shared, held),
            "report": _vectors(report_ids, held.reports),
        }
    else:
        items: dict[ServedKind, tuple[IdArray, Keys]] = {
            "chunk": (index.chunk_ids, Keys.own(index.chunk_ids)),
            "entity": (index.entity_ids, Keys.own(index.entity_ids)),
            "relation": (index.relation_ids, Keys.of_relations(index, is_shared)),
            "report": (report_ids, Keys.own(report_ids)),
        }
        known = dict(searched.of(items, index).items())
    texts = [region.chunks[id_].item for id_ in index.chunk_ids.tolist()]
    figures = held.figures
    collection = Collection(figures.passages, figures.mean_length, region.frequencies)
    lexicon = cache(lambda: held.words.lexicon(texts, collection))
    return View(
        LocalStore(region, held.communities, records),
        index,
        _community_index(region, index.entity_ids, held),
        lexicon,
        _Vectors(known, lexicon),
        Hubs(index.graph, _kinds(index, is_shared)),
    )


class _Vectors(dict[VectorKind, VectorIndex]):
    """Vectors by kind; those of words are made when a retriever asks for them."""

    def __init__(
        self, known: Mapping[VectorKind, VectorIndex], lexicon: Callable[[], Lexicon]
    ) -> None:
        super().__init__(known)
        self._lexicon = lexicon

    def __missing__(self, kind: VectorKind) -> VectorIndex:
        if kind != "word":
            raise KeyError(kind)
        self[kind] = made = word_vectors(self._lexicon(), self["chunk"])
        return made


def _graph_index(region: Region, generation: int) -> GraphIndex:
    """Lay out a region, its passages with all entities that they mention.

    Of the entities outside the region no more than the ids are there: what PageRank gives a passage
    flows to all that it mentions, and most of it back.
    """
    chunk_ids, relation_ids = id_array(sorted(region.chunks)), id_array(sorted(region.relations))
    held = [region.chunks[id_] for id_ in chunk_ids.tolist()]
    chunks = [one.item for one in held]
    mentioned = (id_ for one in held for id_ in one.entity_ids)
    relations = [region.relations[id_] for id_ in relation_ids.tolist()]
    ends = (end for one in relations for end in (one.source, one.target))
    entity_ids = id_array(sorted({*region.entities, *mentioned, *ends}))
    doc_ids = id_array(sorted({chunk.doc_id for chunk in chunks}))
    predicates = id_array(sorted({one.predicate for one in relations}))
    source = rows_of(entity_ids, [one.source for one in relations])
    target = rows_of(entity_ids, [one.target for one in relations])
    places = np.arange(len(relations), dtype=np.int32)
    chunk_entities = _incidence([one.entity_ids for one in held], entity_ids)
    relation_chunks = _incidence([one.chunk_ids for one in relations], chunk_ids)
    return GraphIndex(
        generation,
        doc_ids,
        chunk_ids,
        rows_of(doc_ids, [chunk.doc_id for chunk in chunks]),
        np.array([chunk.tokens for chunk in chunks], dtype=np.int32),
        entity_ids,
        relation_ids,
        predicates,
        source,
        target,
        rows_of(predicates, [one.predicate for one in relations]),
        np.array([one.weight for one in relations], dtype=np.float32),
        csr_from_pairs(
            np.concatenate((source, target)), np.concatenate((places, places)), len(entity_ids)
        ),
        transposed(chunk_entities, len(entity_ids)),
        chunk_entities,
        relation_chunks,
        transposed(relation_chunks, len(chunks)),
    )


def _incidence(ids: Sequence[Sequence[str]], known: IdArray) -> Csr:
    """Return which of the known items belong to each of some others."""
    owners = np.repeat(np.arange(len(ids), dtype=np.int32), [len(some) for some in ids])
    return csr_from_pairs(owners, rows_of(known, list(chain.from_iterable(ids))), len(ids))


def _vectors(ids: IdArray, slab: VectorSlab) -> NumpyVectorIndex:
    return NumpyVectorIndex(ids, *slab.gathered(ids.tolist()))


def _relation_vectors(ids: IdArray, shared: Sequence[str], held: HeldItems) -> NumpyVectorIndex:
    """Return the vectors of relations, of which bare ones have their predicate's."""
    own, row_of = held.relation_vectors.gathered(ids.tolist())
    of_predicates, predicate_row = held.predicate_vectors.gathered(shared)
    rows = np.where(predicate_row >= 0, predicate_row + len(own), row_of).astype(np.int32)
    return NumpyVectorIndex(ids, np.concatenate([own, of_predicates]), rows)


def _kinds(index: GraphIndex, is_shared: NDArray[np.bool_]) -> IntArray:
    """Return numbers that are equal where relations share a vector."""
    places = np.arange(len(is_shared), dtype=np.int32) + len(index.predicates)
    kinds: IntArray = np.where(is_shared, index.relation_predicate, places).astype(np.int32)
    return kinds


def _community_index(region: Region, entity_ids: IdArray, held: HeldItems) -> CommunityIndex:
    ids = id_array(sorted(held.communities))
    communities = [held.communities[id_] for id_ in ids.tolist()]
    return CommunityIndex(
        ids,
        np.array([one.level for one in communities], dtype=np.int32),
        _rows(ids, (one.parent for one in communities)),
        _rows(ids, (_community_of(region, id_) for id_ in entity_ids.tolist())),
    )


def _community_of(region: Region, entity_id: str) -> str | None:
    held = region.entities.get(entity_id)
    return held.community if held is not None else None


def _rows(known: IdArray, ids: Iterable[str | None]) -> IntArray:
    return rows_of(known, [id_ or "" for id_ in ids])


def word_vectors(lexicon: Lexicon, passages: VectorIndex) -> NumpyVectorIndex:
    """Return for each word the mean over the passages of a view that hold it, unit length.

    The vectors of an embedded base are means over sentences, which no server holds.
    """
    holders = lexicon.word_chunks
    sums = np.zeros((len(lexicon.words), passages.dim), dtype=np.float32)
    for first in range(0, len(sums), _WORDS_AT_ONCE):
        starts = holders.indptr[first : first + _WORDS_AT_ONCE + 1]
        vectors = passages.vectors_at(holders.indices[starts[0] : starts[-1]])
        # Every word stands somewhere, so no run is empty.
        sums[first : first + _WORDS_AT_ONCE] = np.add.reduceat(vectors, starts[:-1] - starts[0])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return NumpyVectorIndex(lexicon.words, sums / np.maximum(lengths, _SHORTEST))


class LocalStore:
    """The `GraphStore` of a local view: what is not in the region is not known.

    Args:
        region: Its items.
        communities: All of the base, without members.
        records: Whole documents and members of communities, which no retriever reads, are asked
            for here.
    """

    def __init__(
        self, region: Region, communities: Mapping[str, Community], records: GraphStore
    ) -> None:
        self._region = region
        self._communities = communities
        self._records = records

    def documents(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents of these ids, in their order, unknown ids left out."""
        return self._records.documents(ids)

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks of these ids, in their order, those outside the region left out."""
        return [held.item for held in _known(self._region.chunks, ids)]

    def passages_of(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Return all chunks of these documents, by document in their order, then by place."""
        return self._records.passages_of(doc_ids)

    def entities(self, ids: Sequence[str]) -> list[Entity]:
        """Return the entities of these ids, in their order, those outside the region left out."""
        return [held.item for held in _known(self._region.entities, ids)]

    def relations(self, ids: Sequence[str]) -> list[Relation]:
        """Return the relations of these ids, in their order, those outside the region left out."""
        return _known(self._region.relations, ids)

    def communities(self, ids: Sequence[str], *, members: bool = True) -> list[Community]:
        """Return the communities of these ids, unknown ids left out; members are asked for."""
        if members:
            return self._records.communities(ids)
        return _known(self._communities, ids)

    def find_entities(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the ids of the region's entities of the same `name_key`, by name.

        All entities that a text of the focus may name are in the region.
        """
        keys = {name: name_key(name) for name in names}
        known = self._ids_of_names
        return {name: tuple(known[key]) for name, key in keys.items() if key in known}

    @cached_property
    def _ids_of_names(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for id_, held in sorted(self._region.entities.items()):
            for key in dict.fromkeys(map(name_key, (held.item.name, *held.item.aliases))):
                found.setdefault(key, []).append(id_)
        return found

    def match_entities(self, text: str, limit: int) -> list[str]:
        """Return the ids of the entities with a name or alias that holds the text, best first."""
        return self._records.match_entities(text, limit)


def _known(items: Mapping[str, T], ids: Sequence[str]) -> list[T]:
    found = (items.get(str(id_)) for id_ in ids)
    return [item for item in found if item is not None]
