"""Passages chosen as a set, from those that PageRank, vectors and words find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from hoptrail.core.algorithms.sorted_sets import distinct
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.types import Evidence
from hoptrail.retrievers.anchors import named_entities, nearest_as_seeds
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.graph_ranking import (
    Ranking,
    assemble,
    in_turns,
    ranking_among,
    scaled_to_best,
)
from hoptrail.retrievers.setwise_candidates import Candidates, LocalGraph, Sign
from hoptrail.retrievers.text import question_occurrences, scores_of_occurrences
from hoptrail.stores.snapshot.graph_index import rows_of

_RANKED = 500  # entities and relations; no budget holds more

_DECIMALS = 5
_WEIGHTS = {
    Sign.PAGERANK: 0.2702,
    Sign.PLACE: -0.5161,
    Sign.SIMILARITY: 3.5737,
    Sign.RELATION: 1.8281,
    Sign.TITLE: 1.2684,
    Sign.WORDS: -1.8858,
    Sign.NEW_WORDS: 11.3717,
    Sign.TITLED_BY_MENTIONED: 2.3449,
    Sign.SHARED_ENTITY: 2.9727,
}
"""Learned by `benchmarks/train_setwise.py`; docs/evaluation.md tells on which vectors."""
_WEIGHT_ROW = np.array([_WEIGHTS[sign] for sign in Sign], dtype=np.float32)

_NEAREST = 100  # passages to start from
_BY_PAGERANK = 60
_BY_SIMILARITY = 20
_BY_WORDS = 20
_PASSAGES_WITH_ENTITIES = 30
_NEAREST_ENTITIES = 50


class SetwiseRetriever(Retriever):
    """Chooses passages one by one, each for what it adds to those chosen before it.

    Candidates are the best by personalised PageRank, from the entities that the question names and
    the passages nearest to it, and the best by vectors and by BM25. Then one passage after the
    other is chosen by a linear score of nine signs (`Sign`): its own ones, the question's words
    that no chosen passage has, and the entities that link it with a chosen one. So the passage of
    a second hop is found by what the first one says. The PageRank is that of `ppr` by local push:
    what a question costs depends on what lies around it, not on the size of the base.

    Source: Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", FOCS 2006;
    the greedy choice after Carbonell and Goldstein, "The use of MMR, diversity-based reranking",
    SIGIR 1998, with weights that are learned on its own choices as in Ross, Gordon and Bagnell, "A
    reduction of imitation learning and structured prediction to no-regret online learning",
    AISTATS 2011.
    """

    name_in_registry: ClassVar[str] = "setwise"

    def _search(self, query: Query, view: View) -> Evidence:
        found = LocalSearch.around(query, view, self.k)
        selection = Selection(found.candidates)
        selection.choose(self.k)
        return assemble(
            view,
            "setwise",
            k=self.k,
            budget=self.budget,
            entities=_entity_ranking(found),
            relations=_relation_ranking(view, found),
            chunks=_passage_ranking(view, found, selection),
            loaded=found.candidates.chunks,
        )


def _entity_ranking(found: LocalSearch) -> Ranking:
    """Return the entities that the search reached, best first; the seeds are at hop 0."""
    reached = np.flatnonzero(found.entity_ranks)
    hops = dict.fromkeys(found.seeds, 0)
    return ranking_among(reached.astype(np.int32), found.entity_ranks[reached], _RANKED, hops)


def _relation_ranking(view: View, found: LocalSearch) -> Ranking:
    """Order the relations come upon by their similarity times the ranks of their ends."""
    rows = found.graph.relations.rows
    ends = (
        found.entity_ranks[view.index.relation_source[rows]]
        + found.entity_ranks[view.index.relation_target[rows]]
    )
    scores = np.maximum(found.graph.relations.at(rows), 0) * ends
    return ranking_among(rows, scores, _RANKED)


def _passage_ranking(view: View, found: LocalSearch, selection: Selection) -> Ranking:
    """Return the chosen passages, then by turns the other candidates and what is nearest.

    A passage scores one over its place; its reason is the entity that links it with one before it.
    """
    candidates = found.candidates.rows
    chosen = candidates[selection.places]
    others = found.nearest.rows[~np.isin(found.nearest.rows, chosen)]
    by_turns = in_turns((candidates[selection.rest()].tolist(), 1), (others.tolist(), 1))
    rows = np.array([*chosen.tolist(), *by_turns], dtype=np.int32)
    scores = (1.0 / np.arange(1, len(rows) + 1)).astype(np.float32)
    links = zip(chosen.tolist(), selection.links, strict=True)
    reasons = {row: (str(view.index.entity_ids[link]),) for row, link in links if link is not None}
    return Ranking(rows, scores, reasons=reasons)


class Selection:
    """The passages chosen so far, and what every other would add.

    Args:
        candidates: The passages to choose from.

    Attributes:
        places: Places of the chosen ones among the candidates, in order.
        links: For each of these the row of the entity that it shares with one before it, the rarest
            of several; None for none.
    """

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        self._is_left = np.ones(len(candidates), dtype=np.bool_)
        self._left_weights = candidates.word_weights.copy()
        self._is_reached = np.zeros(len(candidates.entities) + 1, dtype=np.bool_)  # last: no entity
        self._rarity = 1.0 / np.sqrt(np.maximum(candidates.entity_passages, 1))
        self.places: list[int] = []
        self.links: list[int | None] = []

    def features(self) -> FloatArray:
        """Return all columns of `Sign` for all candidates, shape (n, 9)."""
        candidates = self._candidates
        titled = candidates.title_entity
        rarity = np.append(self._rarity, 0.0)
        opened = np.sqrt(rarity[titled]) * self._is_reached[titled]
        shared = np.zeros(len(candidates))
        is_shared = self._is_reached[candidates.mentioned]
        of_shared = candidates.mentioned[is_shared]
        np.maximum.at(shared, candidates.mention_of[is_shared], self._rarity[of_shared])
        added = np.stack([candidates.has_word @ self._left_weights, opened, shared], axis=1)
        return np.concatenate([candidates.features, added.astype(np.float32)], axis=1)

    def left(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which candidates are not chosen yet, shape (n,)."""
        return self._is_left

    def add(self, place: int) -> None:
        """Choose a candidate."""
        candidates = self._candidates
        mentioned = candidates.mentioned[candidates.mention_of == place]
        common = mentioned[self._is_reached[mentioned]]
        self.links.append(
            int(candidates.entities[common[np.argmax(self._rarity[common])]])
            if len(common)
            else None
        )
        self.places.append(place)
        self._is_left[place] = False
        self._is_reached[mentioned] = True
        self._left_weights = self._left_weights * (1.0 - candidates.has_word[place])

    def choose(self, count: int) -> None:
        """Choose so many more by their weighed features, the best one at a time; ties by place."""
        for _ in range(min(count, int(self._is_left.sum()))):
            self.add(int(np.argmax(self._scores())))

    def rest(self) -> list[int]:
        """Return the places of the candidates that are left, best first as things stand."""
        order = np.argsort(-self._scores(), kind="stable")
        return [place for place in order.tolist() if self._is_left[place]]

    def _scores(self) -> FloatArray:
        scores = np.round(self.features() @ _WEIGHT_ROW, _DECIMALS)
        scores[~self._is_left] = -np.inf
        return scores


@dataclass(frozen=True, slots=True)
class LocalSearch:
    """Result of the search that precedes the choice of passages.

    Attributes:
        nearest: Passages by similarity to the question.
        seeds: Weights of the entities that the search started from, by row.
        graph: Similarities of what was come upon.
        entity_ranks: PageRank of every entity, the best 1.
        candidates: The passages to choose from.
    """

    nearest: Ranking
    seeds: dict[int, float]
    graph: LocalGraph
    entity_ranks: FloatArray
    candidates: Candidates

    @classmethod
    def around(cls, query: Query, view: View, least: int = 0) -> Self:
        """Search around a question.

        The entities that it names are seeds; where it names none, the nearest of those that the
        nearest passages mention.

        Args:
            query: The question.
            view: The knowledge base.
            least: How many of the nearest passages are needed at least.
        """
        ids, scores = view.vectors["chunk"].search(query.unit, max(_NEAREST, least))
        nearest = Ranking(rows_of(view.index.chunk_ids, ids), scores)
        near, near_scores = _near_entities(query, view, nearest)
        named = named_entities(query, view, view.index.entity_ids[near])
        seeds = named or nearest_as_seeds(near, near_scores)
        graph = LocalGraph(view, query.unit)
        of_entities, of_passages = graph.rank(seeds, nearest)
        passages = scaled_to_best(of_passages)
        reached = np.flatnonzero(passages).astype(np.int32)
        words = question_occurrences(query.text, view.lexicon)
        word_scores = scores_of_occurrences(view.lexicon, words.values())
        holding = np.flatnonzero(word_scores).astype(np.int32)
        found = [
            ranking_among(reached, passages[reached], _BY_PAGERANK).rows,
            nearest.rows[:_BY_SIMILARITY],
            ranking_among(holding, word_scores[holding], _BY_WORDS).rows,
        ]
        rows = distinct(np.concatenate(found))
        rows = rows[np.argsort(-passages[rows], kind="stable")]
        ordered = np.sort(-passages[reached])
        places = np.searchsorted(ordered, -passages[rows]).astype(np.int32)
        names = np.fromiter(named, dtype=np.int32, count=len(named))
        candidates = Candidates.of(view, graph, rows, passages[rows], places, names, words)
        return cls(nearest, seeds, graph, scaled_to_best(of_entities), candidates)


def _near_entities(query: Query, view: View, nearest: Ranking) -> tuple[IntArray, FloatArray]:
    """Return the entities near the question, best first, and their similarities.

    They are those of the nearest passages; a bare graph has none, and all entities are searched.
    """
    vectors = view.vectors["entity"]
    if not view.has_passages:
        ids, scores = vectors.search(query.unit, _NEAREST_ENTITIES)
        return view.index.entity_rows(ids), scores
    _, mentioned = view.index.chunk_entities.gather(nearest.rows[:_PASSAGES_WITH_ENTITIES])
    rows = distinct(mentioned)
    scores = vectors.similarities_at(query.unit, rows)
    best = ranking_among(rows, scores, _NEAREST_ENTITIES)
    return best.rows, best.scores
