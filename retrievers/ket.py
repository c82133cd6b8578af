"""KET-RAG retrieval: keyword, entity and text channel under one budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from hoptrail.core.algorithms.fusion import reciprocal_rank_fusion
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.types import Evidence
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ket_entities import LocalGraph, load_graph_items, search_graph
from hoptrail.retrievers.ranking.passage_ranking import (
    chunk_similarities,
    fill_budget,
    load_passages,
    passages_tokens,
    ranked_rows,
)
from hoptrail.stores.snapshot.graph_index import GraphIndex, rows_of

_GRAPH_SHARE = 0.5  # of the entity channel's budget; the rest is for its source passages
_FUSION_CONSTANT = 2.0

_WORDS = 1_000
_GATHERED_PER_BUDGET = 2


@dataclass(frozen=True, slots=True)
class _Channel:
    """A ranking of chunk rows with its say in the fusion and its own tokens."""

    name: str
    weight: float
    rows: IntArray
    budget: int


class KetRetriever(Retriever):
    """Layered evidence: entities and relations, and passages from three channels.

    The entity channel (E) gets `theta` of the budget, half of it for entities and relations and
    half for their source passages; the keyword channel (K) gets the rest; the text channel (T),
    plain dense retrieval, fills what the others leave over. Passages are ranked by reciprocal-rank
    fusion of the channels. K and T both rank by similarity of the passage, so E weighs four times
    what the two weigh together.

    Source: Huang, Zhang and Xiao, "KET-RAG: a cost-efficient multi-granular indexing framework for
    Graph-RAG", 2025 (arXiv:2502.09304), with the parameters of its released code.

    Attributes:
        theta: The entity channel's share of the budget.
    """

    name_in_registry: ClassVar[str] = "ket"

    theta: float = Field(0.5, ge=0, le=1)

    def _search(self, query: Query, view: View) -> Evidence:
        similarities = chunk_similarities(view, query.unit)
        entity_budget = round(self.theta * self.budget)
        graph = search_graph(query, view, similarities)
        entities, relations, spent = load_graph_items(
            view, graph, round(entity_budget * _GRAPH_SHARE) if view.has_passages else self.budget
        )
        keyword_budget = self.budget - entity_budget
        keyword = rank_by_keywords(view, query.unit, similarities, keyword_budget)
        channels = (
            _Channel("keyword", 1.0, keyword.rows, keyword_budget),
            _Channel("entity", 8.0, graph.chunks, entity_budget - spent),
            _Channel("text", 1.0, ranked_rows(similarities), 0),
        )
        rows, scores = self._fuse(view.index, channels, self.budget - spent)
        names = _found_by(channels, len(similarities))
        chunks = load_passages(
            view,
            rows,
            scores,
            channel=[names[row] for row in rows.tolist()],
            provenance=_reasons(view, keyword, graph, rows),
        )
        return Evidence(entities, relations, chunks)

    def _fuse(
        self, index: GraphIndex, channels: Sequence[_Channel], budget: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the rows and scores of the passages that the channels' budgets allow."""
        ranking, scores = reciprocal_rank_fusion(
            [channel.rows for channel in channels],
            [channel.weight for channel in channels],
            constant=_FUSION_CONSTANT,
        )
        chosen = np.zeros(len(index.chunk_ids), dtype=np.bool_)
        chosen[ranking[: self.k]] = True
        for channel in channels:
            chosen[fill_budget(index, channel.rows, channel.budget)] = True
        left = budget - passages_tokens(index, np.flatnonzero(chosen).astype(np.int32))
        text = channels[-1].rows
        chosen[fill_budget(index, text[~chosen[text]], left)] = True
        kept = chosen[ranking]
        return ranking[kept], scores[kept]


def _found_by(channels: Sequence[_Channel], size: int) -> list[str]:
    """Return by chunk row the channel that ranks it highest, the first of equals."""
    best = np.full(size, np.iinfo(np.int32).max)
    names = np.zeros(size, dtype=np.int32)
    for number, channel in enumerate(channels):
        ranks = np.arange(len(channel.rows))
        better = ranks < best[channel.rows]
        names[channel.rows[better]] = number
        best[channel.rows[better]] = ranks[better]
    return [channels[number].name for number in names.tolist()]


def _reasons(
    view: View, keyword: KeywordRanking, graph: LocalGraph, rows: IntArray
) -> list[tuple[str, ...]]:
    """Return the word and the best ranked entity that led to each passage, where they did."""
    places = {row: place for place, row in enumerate(graph.entities.tolist())}
    reasons: list[tuple[str, ...]] = []
    for row in rows.tolist():
        word = keyword.words.get(row)
        known = [
            entity for entity in view.index.chunk_entities.row(row).tolist() if entity in places
        ]
        best = str(view.index.entity_ids[min(known, key=places.__getitem__)]) if known else None
        reasons.append(tuple(reason for reason in (word, best) if reason is not None))
    return reasons


@dataclass(frozen=True, slots=True)
class KeywordRanking:
    """Chunk rows, best first, and by row the word that brought it in."""

    rows: IntArray
    words: dict[int, str]


def rank_by_keywords(
    view: View, vector: FloatArray, similarities: FloatArray, budget: int
) -> KeywordRanking:
    """Rank the passages that the question's nearest words lead to.

    The bipartite graph of words and chunks is walked from the 1,000 words whose vectors (means
    over the sentences that hold the word) are nearest to the question, word by word; each adds its
    chunks by similarity until twice the budget is gathered, which similarity then ranks again.
    Source: Huang et al., "KET-RAG: a cost-efficient multi-granular indexing framework for
    Graph-RAG", KDD 2025, section 4.2 and its released code.

    Args:
        view: The knowledge base.
        vector: The question's unit vector, shape (dim,).
        similarities: Similarity of every chunk to the question, shape (chunks,).
        budget: Tokens of the channel.
    """
    index, lexicon = view.index, view.lexicon
    nearest, _ = view.vectors["word"].search(vector, _WORDS)
    brought_by: dict[int, str] = {}
    seen = np.zeros(len(index.chunk_ids), dtype=np.bool_)
    wanted = _GATHERED_PER_BUDGET * budget
    for word, place in zip(nearest, rows_of(lexicon.words, nearest), strict=True):
        chunks = lexicon.word_chunks.row(place)
        chunks = chunks[~seen[chunks]]
        for row in ranked_rows(similarities[chunks], chunks):
            if wanted <= 0:
                break
            brought_by[int(row)] = str(word)
            wanted -= int(index.chunk_tokens[row])
        if wanted <= 0:
            break
        seen[chunks] = True
    rows = np.fromiter(brought_by, dtype=np.int32, count=len(brought_by))
    return KeywordRanking(ranked_rows(similarities[rows], rows), brought_by)
