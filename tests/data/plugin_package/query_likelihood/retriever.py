"""Passages by the likelihood of the question."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.text import content_words
from hoptrail.core.types import Evidence
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.passage_ranking import fill_budget, load_passages, ranked_rows
from hoptrail.stores.snapshot.lexicon import Lexicon


class QueryLikelihoodRetriever(Retriever):
    """Ranks passages by how likely the question's words are under each passage's language model.

    Source: Zhai and Lafferty, "A study of smoothing methods for language models applied to ad hoc
    information retrieval", SIGIR 2001, section 3: smoothing with a Dirichlet prior.

    Attributes:
        mu: Weight of the collection against a passage, in words.
    """

    name_in_registry: ClassVar[str] = "query_likelihood"
    uses_vector: ClassVar[bool] = False
    finds_graph: ClassVar[bool] = False

    mu: float = Field(100.0, gt=0)

    def _search(self, query: Query, view: View) -> Evidence:
        words = sorted(set(content_words(query.text)))
        scores, found = log_likelihoods(view.lexicon, words, self.mu)
        ranking = ranked_rows(scores[found], found)
        rows = fill_budget(view.index, ranking, self.budget, at_least=self.k)
        return Evidence(chunks=load_passages(view, rows, scores[rows], channel="likelihood"))


def log_likelihoods(lexicon: Lexicon, words: list[str], mu: float) -> tuple[FloatArray, IntArray]:
    """Return the score of every passage, and the rows of those that hold one of the words.

    The scores rank as the logarithms of the likelihoods do: what is the same for all passages is
    left out, so that a word counts only where it stands.
    """
    lengths = lexicon.chunk_length.astype(np.float64)
    scores = len(words) * np.log(mu / (mu + lengths))
    matches = np.zeros(len(lengths), dtype=bool)
    for word in words:
        place = int(np.searchsorted(lexicon.words, word))
        if place == len(lexicon.words) or lexicon.words[place] != word:
            continue
        rows, counts = lexicon.word_chunks.row(place), lexicon.word_chunks.weights(place)
        share = counts.sum() / lengths.sum()
        scores[rows] += np.log1p(counts / (mu * share))
        matches[rows] = True
    return scores, np.flatnonzero(matches).astype(np.int32)
