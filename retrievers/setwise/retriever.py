"""Passages chosen as a set, from those that PageRank, vectors and words find."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hoptrail.core.types import Evidence
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.evidence_assembly import assemble
from hoptrail.retrievers.ranking.graph_ranking import Ranking, ranking_among
from hoptrail.retrievers.ranking.interleaving import in_turns
from hoptrail.retrievers.setwise.local_search import LocalSearch
from hoptrail.retrievers.setwise.selection import Selection

_RANKED = 500  # entities and relations; no budget holds more


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
