"""Local search of GraphRAG, and the choice of community reports for questions about the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.question import particular_words
from hoptrail.core.render import report_block
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Community, Evidence, Hit
from hoptrail.retrievers.anchors import named_entities
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.graph_ranking import (
    Ranking,
    graph_hits,
    passages_behind,
    ranking_of,
)
from hoptrail.retrievers.ranking.passage_ranking import (
    fill_budget,
    load_passages,
)
from hoptrail.stores.protocols import GraphStore
from hoptrail.stores.snapshot.graph_index import CommunityIndex

SIZE_WEIGHT = 1.25
"""Added to the largest community's similarity for its size, in units of how reports differ."""
RELEVANT_SHARE = 0.25
"""Place between the average report (0) and the most relevant one (1) a subtree must reach."""
_COMPARED_REPORTS = 256
_PASSAGES_PER_RELATION = 3
_CHANNEL = "report"
_LOCAL_CHANNEL = "community"


class CommunityRetriever(Retriever):
    """Searches around the entities nearest to the question, with the reports of their communities.

    The entities are those that the question or its plan names and those nearest to it. Relations
    between them come first, then the ones nearest to the question; passages are ranked by
    similarity and by what they hold of both. A report counts the entities that its community has.
    Without communities, text takes their share of the budget; without passages, the graph does.

    Source: Edge et al., "From local to global", 2024 (arXiv:2404.16130), as Microsoft GraphRAG's
    local search builds its context.

    Attributes:
        items: Entities to take as nearest.
        neighbors: Most relations that each entity brings in.
        report_share: Share of the budget for reports.
        text_share: Share of the budget for passages.
        level: Level of the communities, 0 is the coarsest; None takes the finest ones.
    """

    name_in_registry: ClassVar[str] = "community"

    items: int = Field(10, ge=1)
    neighbors: int = Field(10, ge=0)
    report_share: float = Field(0.15, ge=0, le=1)
    text_share: float = Field(0.5, ge=0, le=1)
    level: int | None = Field(None, ge=0)

    def _search(self, query: Query, view: View) -> Evidence:
        entities = self._entities(query, view)
        relations = self._relations(query, view, entities.rows)
        reports, spent = self._reports(query, view, entities.rows)
        left = self.budget - spent
        room = left - round(self.text_share * self.budget) if view.has_passages else left
        kept_entities, kept_relations, used = graph_hits(
            view, entities, relations, channel=_LOCAL_CHANNEL, budget=room
        )
        chunks = passages_behind(view, entities, relations, query.unit)
        best = chunks.first(len(fill_budget(view.index, chunks.rows, left - used, at_least=self.k)))
        passages = load_passages(view, best.rows, best.scores, channel=_LOCAL_CHANNEL)
        return Evidence(kept_entities, kept_relations, passages, (), reports)

    def _entities(self, query: Query, view: View) -> Ranking:
        """Return the named entities, then the nearest ones, each kind by falling score."""
        near, scores = view.vectors["entity"].search(query.unit, self.items)
        named = named_entities(query, view, near)
        ranks = {row: 1.0 + weight for row, weight in named.items()}
        for row, score in zip(view.index.entity_rows(near).tolist(), scores.tolist(), strict=True):
            ranks.setdefault(row, float(score))
        return ranking_of(ranks)

    def _relations(self, query: Query, view: View, entities: IntArray) -> Ranking:
        """Return the relations of these entities: those between them first, then the nearest."""
        index = view.index
        positions, rows = index.entity_relations.gather(entities)
        similar = view.vectors["relation"].similarities_at(query.unit, rows)
        inner = np.isin(index.relation_source[rows], entities) & np.isin(
            index.relation_target[rows], entities
        )
        scores = similar + inner
        order = np.lexsort((rows, -np.round(scores, 5), positions))
        place = np.arange(len(rows)) - np.searchsorted(positions[order], positions[order])
        kept = order[place < self.neighbors]
        return ranking_of(dict(zip(rows[kept].tolist(), scores[kept].tolist(), strict=True)))

    def _reports(
        self, query: Query, view: View, entities: IntArray
    ) -> tuple[tuple[Hit[Community], ...], int]:
        """Return the reports that fit their share, and the tokens they take.

        Those of the communities with most of the entities come first, then the higher rated.
        """
        counted = self._communities(ScoredHierarchy.of(view, query.text, query.unit), entities)
        found = read_reports(view.store, list(counted))
        found.sort(key=lambda report: (-counted[report.id], -report.rating, report.id))
        room = round(self.report_share * self.budget)
        hits: list[Hit[Community]] = []
        spent = 0
        for report in found:
            tokens = estimate_tokens(report_block(report))
            if spent + tokens <= room:
                hits.append(Hit(report, counted[report.id] / len(entities), _LOCAL_CHANNEL))
                spent += tokens
        return tuple(hits), spent

    def _communities(self, scored: ScoredHierarchy, entities: IntArray) -> Counter[str]:
        """Return how many of the entities each reported community has, by its id.

        An entity counts for the finest of its communities that has a report.
        """
        communities = scored.communities
        rows = communities.of_entity[entities]
        if self.level is not None:
            rows = communities.raised(rows, self.level)
        rows = rows[rows >= 0]
        while len(silent := np.flatnonzero(~scored.reported[rows])):
            rows[silent] = communities.parent[rows[silent]]
            rows = rows[rows >= 0]
        return Counter(str(communities.ids[row]) for row in rows.tolist())


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


def read_reports(store: GraphStore, ids: Sequence[str]) -> list[Community]:
    """Return the reports of these communities in order, without their members; each once."""
    # Members are many, and no prompt shows them.
    found = store.communities(list(dict.fromkeys(ids)), members=False)
    return [report for report in found if report.title]


def read_sources(store: GraphStore, report_ids: Sequence[str]) -> Evidence:
    """Return reports with the relations behind their findings, their ends, and the passages.

    Of a relation without a passage in its finding the first three are taken. Items are named once,
    in the order of the reports; their provenance is the report that led to them.

    Args:
        store: Where they are read.
        report_ids: Ids of communities; those without a report are left out.
    """
    reports = read_reports(store, report_ids)
    report_of: dict[str, str] = {}
    for report in reports:
        for finding in report.findings:
            report_of.update(
                (id_, report.id) for id_ in finding.relation_ids if id_ not in report_of
            )
    relations = store.relations(list(report_of))
    by_id = {relation.id: relation for relation in relations}
    passages: dict[str, str] = {}
    for report in reports:
        for finding in report.findings:
            ids = list(finding.chunk_ids)
            for relation in (by_id[id_] for id_ in finding.relation_ids if id_ in by_id):
                if not set(relation.chunk_ids) & set(ids):
                    ids += relation.chunk_ids[:_PASSAGES_PER_RELATION]
            passages.update((id_, report.id) for id_ in ids if id_ not in passages)
    ends = dict.fromkeys(end for one in relations for end in (one.source, one.target))
    return Evidence(
        entities=tuple(Hit(entity, channel=_CHANNEL) for entity in store.entities(list(ends))),
        relations=tuple(Hit(one, 0.0, _CHANNEL, None, (report_of[one.id],)) for one in relations),
        chunks=tuple(
            Hit(chunk, 0.0, _CHANNEL, None, (passages[chunk.id],))
            for chunk in store.chunks(list(passages))
        ),
        reports=tuple(Hit(report, channel=_CHANNEL) for report in reports),
    )
