"""KET-RAG's keyword channel: passages by way of the words that are close to the question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.passage_ranking import ranked_rows
from hoptrail.stores.snapshot.graph_index import rows_of

_WORDS = 1_000
_GATHERED_PER_BUDGET = 2


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
