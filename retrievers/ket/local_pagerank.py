"""The part of the graph that a walk reached, with the passages behind it, and PageRank on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.ket.question_walk import QuestionWalk
from hoptrail.retrievers.ppr.entity_passage_graph import EntityPassageGraph, start_weights
from hoptrail.retrievers.ranking.passage_ranking import ranked_rows
from hoptrail.stores.snapshot.graph_index import GraphIndex

_PASSAGES_BY_SIMILARITY = 100
_DAMPING = 0.5
_TEXT_SHARE = 0.5
_TOLERANCE = 1e-5


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
