"""Multi-stage subgraphs: neighbourhoods of the nearest entities, ranked, merged and cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from hoptrail.core.algorithms.neighbourhood import Caps, ScoreEdges
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.types import Evidence
from hoptrail.retrievers.assembly import assemble
from hoptrail.retrievers.base import Retriever
from hoptrail.retrievers.graph_hits import ranking_of
from hoptrail.retrievers.query import Query
from hoptrail.retrievers.reached import passages_behind
from hoptrail.retrievers.region import Region, relation_scorer
from hoptrail.retrievers.seeds import named_entities
from hoptrail.retrievers.vector import chunk_similarities
from hoptrail.retrievers.view import View

_CANDIDATE_RELATIONS = 30  # what the source's encoder reads of a candidate's text
_DEGREE = 20
_NODES = 200
_SHORTEST = 1e-9


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One seed's neighbourhood: relation rows and their similarity, and how well it fits."""

    relations: IntArray
    scores: FloatArray
    fit: float


class MultiStageRetriever(Retriever):
    """Ranks the neighbourhoods of the nearest entities and keeps the edges nearest to the question.

    The neighbourhood of each seed is a candidate, written as triples; the best candidates are
    merged, and of their edges the most similar to the question are kept. A candidate's vector is
    the mean of the vectors of its best triples, which stands for the embedding of their text.

    Source: the offline retrieval of "Graph-augmented LLaMA", stage 3.

    Attributes:
        seeds: Entities nearest to the question; those that it names are seeds too.
        hops: Reach of a candidate.
        candidates: Candidates that are kept.
        edges: Relations that are kept in the end.
    """

    name_in_registry: ClassVar[str] = "multistage"

    seeds: int = Field(25, ge=1)
    hops: int = Field(3, ge=1, le=4)
    candidates: int = Field(20, ge=1)
    edges: int = Field(60, ge=1)

    def _search(self, query: Query, view: View) -> Evidence:
        ids, scores = view.vectors["entity"].search(query.unit, self.seeds)
        rows = view.index.entity_rows(ids).tolist()
        seeds = dict(zip(rows, scores.tolist(), strict=True))
        starts = [*dict.fromkeys([*named_entities(query, view, ids), *rows])]
        score = relation_scorer(view, query.unit)
        found = [self._candidate(view, query.unit, seed, score) for seed in starts]
        found.sort(key=lambda candidate: -round(candidate.fit, 5))
        merged: dict[int, float] = {}
        for candidate in found[: self.candidates]:
            pairs = zip(candidate.relations.tolist(), candidate.scores.tolist(), strict=True)
            merged.update(pairs)
        relations = ranking_of(merged, most=self.edges)
        entities = dict(seeds)
        for row, score in zip(relations.rows.tolist(), relations.scores.tolist(), strict=True):
            for ends in (view.index.relation_source, view.index.relation_target):
                entities[int(ends[row])] = max(score, entities.get(int(ends[row]), score))
        touched = ranking_of(entities)
        return assemble(
            view,
            "candidates",
            k=self.k,
            budget=self.budget,
            entities=touched,
            relations=relations,
            chunks=passages_behind(view, touched, relations, chunk_similarities(view, query.unit)),
        )

    def _candidate(
        self, view: View, vector: FloatArray, seed: int, score: ScoreEdges
    ) -> _Candidate:
        caps = Caps(hops=self.hops, nodes=_NODES, degree=_DEGREE)
        relations = Region.around(view, [seed], score, caps).relations
        scores = score(relations)
        best = relations[ranking_of(scores, most=_CANDIDATE_RELATIONS).rows]
        mean = view.vectors["relation"].vectors_at(best).sum(axis=0)
        length = max(float(np.linalg.norm(mean)), _SHORTEST)
        return _Candidate(relations, scores, float(mean @ vector) / length)
