"""Select the communities whose reports a question about the whole needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.question import particular_words
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.stores.snapshot.community_index import CommunityIndex

SIZE_WEIGHT = 1.25
"""Added to the largest community's similarity for its size, in units of how reports differ."""
RELEVANT_SHARE = 0.25
"""Place between the average report (0) and the most relevant one (1) a subtree must reach."""
_COMPARED_REPORTS = 256


@dataclass(frozen=True, slots=True)
class ScoredHierarchy:
    """Communities with the relevance of their reports to a question.

    Attributes:
        communities: The hierarchy.
        reported: Whether a community has a report, shape (n,).
        relevance: Similarity of the report to the question and more for a larger community, shape
            (n,); `-inf` where there is no report. To a question of no particular subject size
            alone.
    """

    communities: CommunityIndex
    reported: NDArray[np.bool_]
    relevance: FloatArray

    @classmethod
    def of(cls, view: View, question: str, vector: FloatArray) -> ScoredHierarchy:
        """Score the reports of a knowledge base by a question and its vector, shape (dim,).

        To a question of broad wording all reports are about equally similar: then size decides, and
        with it the coarse levels. What is named in the question outweighs any size.
        """
        communities = view.communities
        ids, similarities = view.vectors["report"].search(vector, len(communities.ids))
        rows = communities.rows(ids)
        reported = np.zeros(len(communities.ids), dtype=np.bool_)
        reported[rows] = True
        relevance = np.full(len(communities.ids), -np.inf, dtype=np.float32)
        if len(rows):
            size = np.log1p(_sizes(communities))
            bonus = SIZE_WEIGHT * _spread(view, np.sort(rows)) * size / max(float(size.max()), 1.0)
            relevance[rows] = bonus[rows]
            if particular_words(question):
                relevance[rows] += similarities
        return cls(communities, reported, relevance)


def select_rows(scored: ScoredHierarchy, level: int | None, *, prefilter: bool) -> IntArray:
    """Return the rows of the communities to read, the most relevant first.

    The walk goes from coarse to fine. With the pre-filter a subtree is skipped where none of its
    reports is relevant, so that what is read grows with the relevant part of the collection (as
    Microsoft GraphRAG's dynamic community selection, with vectors in place of its model). Without a
    level a community stands for its subtree unless a report below it is more relevant; then its
    relevant children are walked in its place.

    Args:
        scored: The hierarchy.
        level: Read this level (communities that are not divided so far stand for themselves); None
            leaves it to the question.
        prefilter: Whether to skip subtrees.
    """
    communities = scored.communities
    best, below = _best_in_subtrees(scored)
    is_relevant = best >= (_cutoff(scored, level) if prefilter else -np.inf)
    if level is None:
        goes_on = below > scored.relevance
    else:
        goes_on = (communities.level < level) & (below > -np.inf)
    visited = np.zeros(len(communities.ids), dtype=np.bool_)
    for depth in range(int(communities.level.max(initial=-1)) + 1):
        rows = np.flatnonzero((communities.level == depth) & is_relevant)
        above = communities.parent[rows]
        visited[rows] = (above < 0) | (visited[above] & goes_on[above])
    chosen = np.flatnonzero(visited & ~goes_on & scored.reported)
    order = np.lexsort((chosen, -np.round(scored.relevance[chosen], 5)))
    return chosen[order].astype(np.int32)


def _spread(view: View, rows: IntArray) -> float:
    """Return the standard deviation of the similarities between reports, which has their scale."""
    compared = rows[:: -(-len(rows) // _COMPARED_REPORTS)]
    vectors = view.vectors["report"].vectors_at(compared)
    between = (vectors @ vectors.T)[~np.eye(len(compared), dtype=np.bool_)]
    return float(between.std()) if len(between) else 0.0


def _sizes(communities: CommunityIndex) -> FloatArray:
    """Return how many entities each community has, those of its children included, shape (n,)."""
    finest = communities.of_entity[communities.of_entity >= 0]
    sizes = np.bincount(finest, minlength=len(communities.ids)).astype(np.float32)
    for rows in _fine_to_coarse(communities):
        np.add.at(sizes, communities.parent[rows], sizes[rows])
    return sizes


def _best_in_subtrees(scored: ScoredHierarchy) -> tuple[FloatArray, FloatArray]:
    """Return the highest relevance in each subtree, with its root and without, shape (n,)."""
    parent = scored.communities.parent
    best = scored.relevance.copy()
    below = np.full(len(best), -np.inf, dtype=np.float32)
    for rows in _fine_to_coarse(scored.communities):
        np.maximum.at(below, parent[rows], best[rows])
        best = np.maximum(best, below)
    return best, below


def _fine_to_coarse(communities: CommunityIndex) -> list[IntArray]:
    """Return the rows with a parent by level, the finest first."""
    finest = int(communities.level.max(initial=0))
    has_parent = communities.parent >= 0  # an imported one may begin below level 0
    return [
        np.flatnonzero((communities.level == level) & has_parent).astype(np.int32)
        for level in range(finest, 0, -1)
    ]


def _cutoff(scored: ScoredHierarchy, level: int | None) -> float:
    """Return the relevance that a subtree must reach, from the reports that may be read."""
    rows = np.arange(len(scored.reported)) if level is None else scored.communities.cut(level)
    relevance = scored.relevance[rows[scored.reported[rows]]]
    if len(relevance) == 0:
        return -np.inf
    average, best = float(relevance.mean()), float(relevance.max())
    return average + RELEVANT_SHARE * (best - average)
