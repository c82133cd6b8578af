"""Multi-stage subgraphs: neighbourhoods of the nearest entities, ranked, merged and cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from hoptrail.core.algorithms.incidence import ScoreEdges
from hoptrail.core.algorithms.neighbourhood import Caps
from hoptrail.core.embedding import FloatArray, IntArray, RememberingEmbedder
from hoptrail.core.names import triple_words
from hoptrail.core.types import Evidence, Relation
from hoptrail.retrievers.anchors import named_entities
from hoptrail.retrievers.base.per_generation import PerGeneration
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.edge_ranking import CAPS, known_scorer, rank_by_walks
from hoptrail.retrievers.paths import Region, relation_scorer
from hoptrail.retrievers.ranking.graph_ranking import (
    Ranking,
    assemble,
    in_turns,
    passages_behind,
    ranking_of,
)
from hoptrail.stores.knowledge_source import KnowledgeSource

_CANDIDATE_RELATIONS = 30  # what the source's encoder reads of a candidate's text
_DEGREE = 20
_NODES = 200
_SHORTEST = 1e-9

_END_WEIGHT = 0.25
_REMEMBERED = 20_000  # strings; 30 MB


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One seed's neighbourhood as relation rows, and how well it fits the question."""

    relations: IntArray
    fit: float


class MultiStageRetriever(Retriever):
    """Ranks the neighbourhoods of the nearest entities and keeps the best of their edges.

    The neighbourhood of each seed is a candidate, written as triples; the best candidates are
    merged, and of their edges the most similar to the question are kept. A candidate's vector is
    the mean of the vectors of its best triples, which stands for the embedding of their text. Of
    the merged edges those are embedded as `head predicate tail` whose parts are nearest to the
    question, where the knowledge base does not hold such vectors already (on a bare graph).

    On a bare graph a small learned scorer ranks the edges instead, by the best walk that leads to
    them from a seed; an edge brings along those that its walk takes before it.

    Source: the offline retrieval of "Graph-augmented LLaMA", stage 3; the learned scorer is ours.

    Attributes:
        seeds: Entities nearest to the question; those that it names are seeds too.
        hops: Reach of a candidate.
        candidates: Candidates that are kept.
        edges: Relations that are kept in the end.
        scorer: What ranks edges: `learned` on a bare graph whose embedder the scorer knows, else
            `similarity`.
        strings: Most edges to embed as strings for a question.
    """

    name_in_registry: ClassVar[str] = "multistage"

    seeds: int = Field(25, ge=1)
    hops: int = Field(3, ge=1, le=4)
    candidates: int = Field(20, ge=1)
    edges: int = Field(60, ge=1)
    scorer: Literal["learned", "similarity"] = "learned"
    strings: int = Field(60, ge=0)

    def _search(self, query: Query, view: View) -> Evidence:
        scorer = known_scorer(self.kb, view) if self.scorer == "learned" else None
        if scorer is None:
            seeds, relations = self._most_similar(query, view)
        else:
            caps = replace(CAPS, hops=self.hops)
            seeds, relations = (
                {},
                rank_by_walks(
                    self.kb, query, view, scorer, most=self.edges, seeds=self.seeds, caps=caps
                ),
            )
        touched = _touched(view, relations, seeds)
        return assemble(
            view,
            "candidates",
            k=self.k,
            budget=self.budget,
            entities=touched,
            relations=relations,
            chunks=passages_behind(view, touched, relations, query.unit),
        )

    def _most_similar(self, query: Query, view: View) -> tuple[dict[int, float], Ranking]:
        """Return the nearest entities, and the nearest edges of the best neighbourhoods."""
        ids, similarities = view.vectors["entity"].search(query.unit, self.seeds)
        nearest = view.index.entity_rows(ids).tolist()
        starts = [*dict.fromkeys([*named_entities(query, view, ids), *nearest])]
        score = relation_scorer(view, query.unit)
        caps = Caps(hops=self.hops, nodes=_NODES, degree=_DEGREE)
        found = [
            _candidate(view, query.unit, region.relations, score)
            for region in Region.around_each(view, starts, score, caps)
        ]
        found.sort(key=lambda candidate: -round(candidate.fit, 5))
        kept = [candidate.relations for candidate in found[: self.candidates]]
        merged = np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *kept]))
        seeds = dict(zip(nearest, similarities.tolist(), strict=True))
        return seeds, self._nearest_of(view, query.unit, merged, score)

    def _nearest_of(
        self, view: View, vector: FloatArray, rows: IntArray, score: ScoreEdges
    ) -> Ranking:
        """Return the best of some relations; on a bare graph strings and predicates take turns.

        A string also says what a relation is about, a predicate alone what is asked about it.
        """
        similar = ranking_of(dict(zip(rows.tolist(), score(rows).tolist(), strict=True)))
        if view.has_passages or not self.strings:
            return similar.first(self.edges)
        by_predicate = similar.rows.tolist()
        parts = factored_similarities(view, vector, rows)
        by_parts = rows[ranking_of(parts).rows].tolist()
        likely = np.array(
            list(islice(in_turns((by_predicate, 1), (by_parts, 1)), max(self.strings, self.edges))),
            dtype=np.int32,
        )
        read = edge_similarities(self.kb, view, vector, likely)
        by_string = likely[ranking_of(read).rows].tolist()
        kept = set(islice(in_turns((by_predicate, 1), (by_string, 1)), self.edges))
        pairs = zip(likely.tolist(), read.tolist(), strict=True)
        return ranking_of({row: value for row, value in pairs if row in kept})


def _candidate(
    view: View, vector: FloatArray, relations: IntArray, score: ScoreEdges
) -> _Candidate:
    best = relations[ranking_of(score(relations), most=_CANDIDATE_RELATIONS).rows]
    mean = view.vectors["relation"].vectors_at(best).sum(axis=0)
    length = max(float(np.linalg.norm(mean)), _SHORTEST)
    return _Candidate(relations, float(mean @ vector) / length)


def _touched(view: View, relations: Ranking, seeds: Mapping[int, float]) -> Ranking:
    """Return the seeds and the ends of the relations, each with the best score it has part in."""
    entities = dict(seeds)
    for row, score in zip(relations.rows.tolist(), relations.scores.tolist(), strict=True):
        for ends in (view.index.relation_source, view.index.relation_target):
            entities[int(ends[row])] = max(score, entities.get(int(ends[row]), score))
    return ranking_of(entities)


def edge_similarities(
    kb: KnowledgeSource, view: View, question: FloatArray, rows: IntArray
) -> FloatArray:
    """Return how similar relations are to a question, each read with the names of its ends.

    A bare graph holds one vector for all relations of a predicate; such a relation is embedded
    here. Relations with a text of their own keep the vector they have.

    Args:
        kb: The knowledge base, which embeds texts.
        view: Its present generation.
        question: Unit vector, shape (dim,).
        rows: Rows of relations, shape (n,): all new ones are embedded in one batch.
    """
    scores = view.vectors["relation"].similarities_at(question, rows)
    ids = [str(id_) for id_ in view.index.relation_ids[rows]]
    known = {relation.id: relation for relation in view.store.relations(ids)}
    places = [n for n, id_ in enumerate(ids) if id_ in known and known[id_].is_bare]
    if places:
        texts = [edge_string(known[ids[place]]) for place in places]
        scores[places] = _embedder.of(kb, view).embed(texts) @ question
    return scores


def factored_similarities(view: View, question: FloatArray, rows: IntArray) -> FloatArray:
    """Return how similar relations are to a question by their parts, without embedding anything.

    To a relation's similarity a quarter of that of each of its ends is added.

    Args:
        view: The knowledge base.
        question: Unit vector, shape (dim,).
        rows: Rows of relations, shape (n,).
    """
    ends = np.concatenate([view.index.relation_source[rows], view.index.relation_target[rows]])
    near = view.vectors["entity"].similarities_at(question, ends).reshape(2, -1).sum(axis=0)
    scores: FloatArray = view.vectors["relation"].similarities_at(question, rows)
    scores += _END_WEIGHT * near
    return scores


def edge_string(relation: Relation) -> str:
    """Return head, predicate and tail as words; ends without a name are left out."""
    return triple_words(relation.subject, relation.predicate, relation.object)


def _remembering(kb: KnowledgeSource, view: View) -> RememberingEmbedder:
    return RememberingEmbedder(kb.embedder, _REMEMBERED)


_embedder = PerGeneration(_remembering)
