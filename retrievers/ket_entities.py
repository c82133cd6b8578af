"""KET-RAG's entity channel: a walk on the graph from what the question names, and its search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.types import Entity, Hit, Relation
from hoptrail.retrievers.anchors import named_entities, nearest_as_seeds
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ppr import EntityPassageGraph, start_weights
from hoptrail.retrievers.ranking.graph_ranking import (
    Ranking,
    graph_hits,
)
from hoptrail.retrievers.ranking.passage_ranking import ranked_rows
from hoptrail.stores.snapshot.graph_index import GraphIndex

_HOPS = 2
_RELATIONS_PER_ENTITY = 10
_NEAREST = 10
_NEAREST_FOR_NAMES = 50
_PASSAGES_READ = 10
_PASSAGES_WITH_RELATIONS = 30
_DECIMALS = 7
_LEAST_RELEVANCE = 0.01
_CHANNEL = "entity"

_PASSAGES_BY_SIMILARITY = 100
_DAMPING = 0.5
_TEXT_SHARE = 0.5
_TOLERANCE = 1e-5
_WALK_DECIMALS = 5


@dataclass(frozen=True, slots=True)
class LocalGraph:
    """Result of the channel: rows of `GraphIndex`, best first, beside scores of up to 1."""

    walk: QuestionWalk
    entities: IntArray
    entity_scores: FloatArray
    relations: IntArray
    relation_scores: FloatArray
    chunks: IntArray


def search_graph(query: Query, view: View, similarities: FloatArray) -> LocalGraph:
    """Search the graph around the entities that are named by or nearest to the question.

    As in GraphRAG's local search, which is KET-RAG's entity channel, the entities nearest to the
    question bring in their relations (the ten most similar to the question each) and their source
    passages. Two things are added. Entities that the question names are seeds, from which the walk
    goes two hops. And source passages are ranked by personalised PageRank on the subgraph reached,
    as HippoRAG does on a whole graph: so a passage two hops away is found that says nothing
    resembling the question.

    Source: Edge et al., "From local to global: a graph RAG approach", 2024 (local search of its
    code); Huang et al., KET-RAG, 2025, section 4; Gutierrez et al., "From RAG to memory"
    (HippoRAG 2), 2025.

    Args:
        query: The question.
        view: The knowledge base.
        similarities: Similarity of every chunk to the question, shape (chunks,).
    """
    near, near_scores = view.vectors["entity"].search(query.unit, _NEAREST_FOR_NAMES)
    near_rows = view.index.entity_rows(near)
    seeds = named_entities(query, view, near) or nearest_as_seeds(near_rows, near_scores)
    walk = walk_from(view, query.unit, seeds, hops=_HOPS, limit=_RELATIONS_PER_ENTITY)
    starts = near_rows[:_NEAREST].tolist()
    walk.join(walk_from(view, query.unit, starts, hops=1, limit=_RELATIONS_PER_ENTITY))
    most_similar = ranked_rows(similarities)[:_PASSAGES_READ]
    first = _Spread.over(view, walk, most_similar, seeds, similarities)
    # What the best passages state may lead further, so they are read and the ranks spread again.
    walk.join(stated_in(view, query.unit, first.chunks[:_PASSAGES_READ]))
    second = _Spread.over(view, walk, first.chunks[:_PASSAGES_READ], seeds, similarities)
    walk.join(stated_in(view, query.unit, second.chunks[:_PASSAGES_WITH_RELATIONS]))
    relations, relation_scores = _rank_relations(view.index, walk, second)
    return LocalGraph(
        walk, second.entities, second.entity_ranks, relations, relation_scores, second.chunks
    )


def load_graph_items(
    view: View, graph: LocalGraph, budget: int
) -> tuple[tuple[Hit[Entity], ...], tuple[Hit[Relation], ...], int]:
    """Return the entities and relations that fit, and the tokens they take when rendered."""
    entities, relations = _entity_ranking(view, graph), _relation_ranking(view, graph)
    return graph_hits(view, entities, relations, channel=_CHANNEL, budget=budget)


@dataclass(frozen=True, slots=True)
class _Spread:
    """Rows of the entities and passages of a subgraph, best ranked first."""

    entities: IntArray
    entity_ranks: FloatArray
    chunks: IntArray

    @classmethod
    def over(
        cls,
        view: View,
        walk: QuestionWalk,
        read: IntArray,
        seeds: Mapping[int, float],
        similarities: FloatArray,
    ) -> _Spread:
        """Rank what the walk and these passages reach; equal ranks go by similarity."""
        graph = Subgraph.around(view.index, walk, read, similarities)
        entity_ranks, chunk_ranks = graph.spread(seeds, similarities)
        by_rank = _order(entity_ranks, graph.entities)
        chunks = graph.chunks[_order(chunk_ranks, -similarities[graph.chunks], graph.chunks)]
        return cls(graph.entities[by_rank], entity_ranks[by_rank], chunks)


def _rank_relations(
    index: GraphIndex, walk: QuestionWalk, spread: _Spread
) -> tuple[IntArray, FloatArray]:
    """Order the relations by their similarity to the question times the ranks of their ends."""
    rows = np.fromiter(walk.relations, dtype=np.int32, count=len(walk.relations))
    relevance = np.array([walk.relevance[row] for row in rows.tolist()], dtype=np.float32)
    rank_of = dict(zip(spread.entities.tolist(), spread.entity_ranks.tolist(), strict=True))
    ends = np.stack([index.relation_source[rows], index.relation_target[rows]], axis=1)
    end_ranks = [rank_of.get(a, 0.0) + rank_of.get(b, 0.0) for a, b in ends.tolist()]
    # All relations of a predicate resemble a question alike: then their ends decide.
    scores = np.maximum(relevance, _LEAST_RELEVANCE) * np.array(end_ranks, dtype=np.float32)
    best = _order(scores, rows)
    return rows[best], scores[best]


def _order(scores: FloatArray, *then: FloatArray | IntArray) -> IntArray:
    """Return the places by falling score; equal ones by what comes then, rising."""
    keys = (*reversed(then), -np.round(scores, _DECIMALS))
    return np.lexsort(keys).astype(np.int32)


def _entity_ranking(view: View, graph: LocalGraph) -> Ranking:
    ids, via = view.index.relation_ids, graph.walk.via_relation
    reasons = {row: (str(ids[relation]),) for row, relation in via.items()}
    return Ranking(graph.entities, graph.entity_scores, graph.walk.entities, reasons)


def _relation_ranking(view: View, graph: LocalGraph) -> Ranking:
    ids, via = view.index.entity_ids, graph.walk.via_entity
    reasons = {row: (str(ids[entity]),) for row, entity in via.items()}
    return Ranking(graph.relations, graph.relation_scores, graph.walk.relations, reasons)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Entities and passages as nodes, relations and mentions as edges.

    It is laid out anew for each question, since it holds only what the walk reached: some hundred
    entities and passages of a large graph, so that PageRank on it takes a few milliseconds.

    Attributes:
        index: The whole graph.
        walk: The walk, with the relations that it took.
        entities: Rows of `GraphIndex`, ascending, shape (n,), int32; node i is `entities[i]`.
        chunks: Rows likewise, shape (m,), int32; node n + j is `chunks[j]`.
    """

    index: GraphIndex
    walk: QuestionWalk
    entities: IntArray
    chunks: IntArray

    @classmethod
    def around(
        cls, index: GraphIndex, walk: QuestionWalk, read: IntArray, similarities: FloatArray
    ) -> Subgraph:
        """Take in what the walk reached, the entities of passages, and what mentions all these.

        Args:
            index: The whole graph.
            walk: What was reached so far.
            read: Passages whose entities belong to it.
            similarities: Similarity of every chunk to the question, shape (chunks,).
        """
        similar = ranked_rows(similarities)[:_PASSAGES_BY_SIMILARITY]
        _, mentioned = index.chunk_entities.gather(read)
        reached = np.fromiter(walk.entities, dtype=np.int32, count=len(walk.entities))
        entities = np.unique(np.concatenate([reached, mentioned])).astype(np.int32)
        _, mentioning = index.entity_chunks.gather(entities)
        chunks = np.unique(np.concatenate([similar, mentioning])).astype(np.int32)
        return cls(index, walk, entities, chunks)

    def spread(
        self, seeds: Mapping[int, float], similarities: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the ranks of `entities` and of `chunks`, the best of each list 1.

        Personalised PageRank (damping 0.5, as HippoRAG's) from the seeds, and for half their weight
        from the passages by similarity. A passage ranks by the visits that came to it along the
        graph: how much it resembles the question itself is what KET-RAG's other channels tell.
        """
        rows = np.fromiter(seeds, dtype=np.int32, count=len(seeds))
        places = np.searchsorted(self.entities, rows).tolist()
        start = start_weights(
            dict(zip(places, seeds.values(), strict=True)),
            len(self.entities),
            similarities[self.chunks],
            _TEXT_SHARE,
        )
        walked = np.fromiter(self.walk.relations, dtype=np.int32, count=len(self.walk.relations))
        relevance = np.array([self.walk.relevance[row] for row in walked.tolist()])
        return self._graph(walked).ranks(
            start,
            similarities,
            relevance,
            damping=_DAMPING,
            tolerance=_TOLERANCE,
            arrivals=True,
        )

    def _graph(self, walked: IntArray) -> EntityPassageGraph:
        """Lay out the mentions of the entities, and these relations between them."""
        mentioned, chunks = self.index.entity_chunks.gather(self.entities)
        mentioning = len(self.entities) + np.searchsorted(self.chunks, chunks)
        source = np.searchsorted(self.entities, self.index.relation_source[walked])
        target = np.searchsorted(self.entities, self.index.relation_target[walked])
        return EntityPassageGraph.joining(
            np.concatenate([mentioned, source]).astype(np.int32),
            np.concatenate([mentioning, target]).astype(np.int32),
            chunks,
            len(self.entities),
            len(self.chunks),
        )


@dataclass(slots=True)
class QuestionWalk:
    """Rows of the entities and relations reached, in order, each with how it was reached.

    Attributes:
        entities: Distance of each entity to the nearest start; None where another walk found it.
        relations: Distance of each relation's nearer end, likewise.
        relevance: Similarity of each relation to the question.
        via_relation: The relation that led to an entity (none for a start).
        via_entity: The entity whose relation it is.
    """

    entities: dict[int, int | None] = field(default_factory=dict)
    relations: dict[int, int | None] = field(default_factory=dict)
    relevance: dict[int, float] = field(default_factory=dict)
    via_relation: dict[int, int] = field(default_factory=dict)
    via_entity: dict[int, int] = field(default_factory=dict)

    def join(self, other: QuestionWalk) -> None:
        """Add what another walk reached and this one did not, without a distance."""
        self.entities = {**dict.fromkeys(other.entities), **self.entities}
        self.relations = {**dict.fromkeys(other.relations), **self.relations}
        self.relevance = {**other.relevance, **self.relevance}
        self.via_relation = {**other.via_relation, **self.via_relation}
        self.via_entity = {**other.via_entity, **self.via_entity}


def walk_from(
    view: View,
    vector: FloatArray,
    starts: Iterable[int],
    *,
    hops: int,
    limit: int,
) -> QuestionWalk:
    """Walk from entities along their relations that are most similar to the question.

    Args:
        view: The knowledge base.
        vector: The question's unit vector, shape (dim,).
        starts: Entity rows.
        hops: How far to go.
        limit: How many relations of each entity are followed.
    """
    walk = QuestionWalk(entities=dict.fromkeys(starts, 0))
    frontier = list(walk.entities)
    for hop in range(hops):
        frontier = _step(view, vector, walk, frontier, hop, limit)
        if not frontier:
            break
    return walk


def stated_in(view: View, vector: FloatArray, chunks: IntArray) -> QuestionWalk:
    """Return the relations that these passages state and their ends, none with a distance."""
    _, stated = view.index.chunk_relations.gather(chunks)
    relations = np.unique(stated)
    scores = view.vectors["relation"].similarities_at(vector, relations)
    source = view.index.relation_source[relations]
    ends = np.concatenate([source, view.index.relation_target[relations]])
    rows = relations.tolist()
    return QuestionWalk(
        entities=dict.fromkeys(ends.tolist()),
        relations=dict.fromkeys(rows),
        relevance=dict(zip(rows, scores.tolist(), strict=True)),
        via_entity=dict(zip(rows, source.tolist(), strict=True)),
    )


def _step(
    view: View, vector: FloatArray, walk: QuestionWalk, frontier: list[int], hop: int, limit: int
) -> list[int]:
    """Follow the best relations of the frontier; return the entities reached for the first time."""
    rows = np.array(frontier, dtype=np.int32)
    positions, relations, scores = _best_relations(view, vector, rows, limit)
    reached: list[int] = []
    for entity, relation, score in zip(
        rows[positions].tolist(), relations.tolist(), scores.tolist(), strict=True
    ):
        if relation in walk.relations:
            continue
        walk.relations[relation] = hop
        walk.relevance[relation] = score
        walk.via_entity[relation] = entity
        for end in (view.index.relation_source[relation], view.index.relation_target[relation]):
            if int(end) not in walk.entities:
                walk.entities[int(end)] = hop + 1
                walk.via_relation[int(end)] = relation
                reached.append(int(end))
    return reached


def _best_relations(
    view: View, vector: FloatArray, rows: IntArray, limit: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return `(positions, relations, similarities)`: the best `limit` relations of each entity."""
    positions, relations = view.index.entity_relations.gather(rows)
    distinct, places = np.unique(relations, return_inverse=True)
    similarities = view.vectors["relation"].similarities_at(vector, distinct)
    scores = np.round(similarities, _WALK_DECIMALS)[places]
    order = np.lexsort((relations, -scores, positions))
    positions, relations, scores = positions[order], relations[order], scores[order]
    rank = np.arange(len(positions)) - np.searchsorted(positions, positions, side="left")
    kept = rank < limit
    return positions[kept], relations[kept], scores[kept]
