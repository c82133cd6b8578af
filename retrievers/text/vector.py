"""Dense passage retrieval: KET-RAG's text channel, and the plain RAG baseline."""

from __future__ import annotations

from typing import ClassVar

from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Evidence
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.passage_ranking import fill_budget, load_passages, ranked_rows


class VectorRetriever(Retriever):
    """Ranks passages by the inner product of question and passage vectors.

    Source: Karpukhin et al., "Dense passage retrieval for open-domain question answering",
    EMNLP 2020; here with a sentence embedder and exact search.
    """

    name_in_registry: ClassVar[str] = "vector"
    finds_graph: ClassVar[bool] = False

    def _search(self, query: Query, view: View) -> Evidence:
        scores = chunk_similarities(view, query.unit)
        rows = fill_budget(view.index, ranked_rows(scores), self.budget, at_least=self.k)
        return Evidence(chunks=load_passages(view, rows, scores[rows], channel="text"))


def chunk_similarities(view: View, vector: FloatArray) -> FloatArray:
    """Return the similarity of every chunk to the question, shape (chunks,)."""
    return view.vectors["chunk"].similarities(vector, view.index.chunk_ids)
