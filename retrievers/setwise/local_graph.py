"""The graph around a question: entities and passages, weighed as they are come upon.

Nodes are the rows of entities, then those of passages. Similarities are computed for the passages
and relations that a search comes upon, which are some hundreds in a base of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.pagerank import push
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ppr.entity_passage_graph import (
    mention_weights,
    relation_weights,
    total_weight,
)
from hoptrail.retrievers.ranking.graph_ranking import Ranking
from hoptrail.retrievers.ranking.scaling import softmax

_DAMPING = 0.8
_TOLERANCE = 1e-4
_TEXT_SHARE = 0.5
_TEMPERATURE = 0.03


class KnownSimilarities:
    """Similarities to one question by row, each computed when it is first asked for.

    Args:
        score: Gives the similarities of rows, shape (m,) for m rows.
        size: Number of rows there are.
    """

    def __init__(self, score: Callable[[IntArray], FloatArray], size: int) -> None:
        self._score = score
        self._values = np.full(size, np.nan, dtype=np.float32)

    def at(self, rows: IntArray) -> FloatArray:
        """Return the similarities of these rows, shape (len(rows),)."""
        found: FloatArray = self._values[rows]
        is_new = np.isnan(found)
        if is_new.any():
            new = rows[is_new]
            found[is_new] = self._values[new] = self._score(new)
        return found

    @property
    def rows(self) -> IntArray:
        """The rows whose similarities were asked for, ascending."""
        return np.flatnonzero(~np.isnan(self._values)).astype(np.int32)


class LocalGraph:
    """Mentions and relations as undirected edges, weighed by similarity to one question.

    The weights are those of `EntityPassageGraph`.

    Args:
        view: The knowledge base.
        vector: The question's unit vector, shape (dim,).

    Attributes:
        passages: Similarities of passages.
        relations: Similarities of relations.
    """

    def __init__(self, view: View, vector: FloatArray) -> None:
        self._index = view.index
        self._entities = len(view.index.entity_ids)
        chunks, relations = view.vectors["chunk"], view.vectors["relation"]
        self.passages = KnownSimilarities(
            lambda rows: chunks.similarities_at(vector, rows), len(view.index.chunk_ids)
        )
        self.relations = KnownSimilarities(
            lambda rows: relations.similarities_at(vector, rows), len(view.index.relation_ids)
        )

    def rank(
        self, seeds: Mapping[int, float], nearest: Ranking
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the PageRank of all entities and of all passages, up to a common factor.

        Args:
            seeds: Weights of the entities to start from, by row.
            nearest: The passages to start from, which have half the seeds' weight together.
        """
        start = np.zeros(self._entities + len(self._index.chunk_ids))
        start[np.fromiter(seeds, dtype=np.int32, count=len(seeds))] = list(seeds.values())
        shares = softmax(nearest.scores, _TEMPERATURE)
        start[self._entities + nearest.rows] = _TEXT_SHARE * total_weight(seeds) * shares
        ranks = push(start, self, damping=_DAMPING, tolerance=_TOLERANCE)
        return ranks[: self._entities], ranks[self._entities :]

    def degrees(self, nodes: IntArray) -> IntArray:
        """Return the number of edges of each node."""
        index, is_entity = self._index, nodes < self._entities
        entities, chunks = nodes[is_entity], nodes[~is_entity] - self._entities
        degrees = np.empty(len(nodes), dtype=np.int32)
        degrees[is_entity] = index.entity_chunks.counts(entities)
        degrees[is_entity] += index.entity_relations.counts(entities)
        degrees[~is_entity] = index.chunk_entities.counts(chunks)
        return degrees

    def edges(self, nodes: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Return `(positions, targets, weights)`, as `Neighbourhood` says."""
        index, is_entity = self._index, nodes < self._entities
        at_entity, at_chunk = np.flatnonzero(is_entity), np.flatnonzero(~is_entity)
        entities, chunks = nodes[at_entity], nodes[at_chunk] - self._entities
        of_mention, mentioning = index.entity_chunks.gather(entities)
        of_relation, relations = index.entity_relations.gather(entities)
        of_chunk, mentioned = index.chunk_entities.gather(chunks)
        ends = index.relation_source[relations] + index.relation_target[relations]
        near = np.concatenate([self.passages.at(mentioning), self.passages.at(chunks)[of_chunk]])
        mentions = mention_weights(near)
        weights = [
            mentions[: len(mentioning)],
            relation_weights(self.relations.at(relations)),
            mentions[len(mentioning) :],
        ]
        other_ends = ends - entities[of_relation]
        return (
            np.concatenate(
                [at_entity[of_mention], at_entity[of_relation], at_chunk[of_chunk]]
            ).astype(np.int32),
            np.concatenate([mentioning + self._entities, other_ends, mentioned]),
            np.concatenate(weights),
        )
