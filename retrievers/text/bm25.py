"""Lexical passage retrieval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.language.detection import ENGLISH, question_language
from hoptrail.core.text import content_words
from hoptrail.core.types import Evidence
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.passage_ranking import fill_budget, load_passages, ranked_rows
from hoptrail.retrievers.text.word_forms import word_forms
from hoptrail.stores.snapshot.graph_index import rows_of
from hoptrail.stores.snapshot.lexicon import Lexicon

_POSSESSIVES = ("'s", "’s")


class Occurrences(NamedTuple):
    """Where a term stands.

    Attributes:
        rows: Of the chunks that hold it, ascending.
        counts: How often each does.
        holding: Chunks of the whole base that hold it; a view of a server knows some of them.
    """

    rows: IntArray
    counts: FloatArray
    holding: int


class BM25Retriever(Retriever):
    """Ranks passages (title and text) by Okapi BM25 over content words.

    Source: Robertson and Zaragoza, "The probabilistic relevance framework: BM25 and beyond", 2009,
    with the idf of Lucene, which is never negative. A word and its possessive are one term; in
    other languages than English all forms of a word are (`word_forms`).
    """

    name_in_registry: ClassVar[str] = "bm25"
    uses_vector: ClassVar[bool] = False
    finds_graph: ClassVar[bool] = False

    k1: float = Field(1.5, gt=0)
    b: float = Field(0.75, ge=0, le=1)

    def _search(self, query: Query, view: View) -> Evidence:
        found = question_occurrences(query.text, view.lexicon).values()
        scores = scores_of_occurrences(view.lexicon, found, self.k1, self.b)
        ranking = ranked_rows(scores)
        ranking = ranking[scores[ranking] > 0]
        rows = fill_budget(view.index, ranking, self.budget, at_least=self.k)
        return Evidence(chunks=load_passages(view, rows, scores[rows], channel="bm25"))


def question_terms(question: str) -> list[str]:
    """Return the distinct content words of a question, without possessive endings, in order."""
    return list(dict.fromkeys(_base_form(word) for word in content_words(question)))


def scores_of_occurrences(
    lexicon: Lexicon, found: Iterable[Occurrences], k1: float = 1.5, b: float = 0.75
) -> FloatArray:
    """Return the score of every chunk, shape (chunks,); 0 where no term occurs."""
    lengths = lexicon.chunk_length.astype(np.float32)
    scores = np.zeros(len(lengths), dtype=np.float32)
    if len(lengths) == 0:
        return scores
    damping = k1 * (1 - b + b * lengths / max(lexicon.mean_length, 1.0))
    for rows, counts, holding in found:
        idf = inverse_frequency(lexicon.passages, holding)
        scores[rows] += idf * counts * (k1 + 1) / (counts + damping[rows])
    return scores


def inverse_frequency(chunks: int, holding: int) -> float:
    """Return the weight of a term that so many of the chunks hold, as in Lucene."""
    return float(np.log1p((chunks - holding + 0.5) / (holding + 0.5)))


def question_occurrences(question: str, lexicon: Lexicon) -> dict[str, Occurrences]:
    """Return where each term of a question stands, in any form that its language gives it."""
    language = question_language(question)
    return {term: occurrences(lexicon, term, language) for term in question_terms(question)}


def occurrences(lexicon: Lexicon, term: str, language: str = ENGLISH) -> Occurrences:
    """Return the chunks with a form of the term, and how often it stands there.

    Args:
        lexicon: Of the chunks.
        term: A word.
        language: Which forms it has: of English words the possessive ones are terms of their own.
    """
    forms = rows_of(lexicon.words, [term, *(term + ending for ending in _POSSESSIVES)])
    places = [int(place) for place in forms if place >= 0]
    if language != ENGLISH:
        places = sorted({*places, *word_forms(lexicon.words, term, language)})
    rows, counts = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
    if places:
        columns = np.concatenate([lexicon.word_chunks.row(place) for place in places])
        weights = np.concatenate([lexicon.word_chunks.weights(place) for place in places])
        rows, inverse = np.unique(columns, return_inverse=True)
        counts = np.bincount(inverse, weights=weights).astype(np.float32)
    return Occurrences(rows, counts, lexicon.frequency(term, len(rows)))


def _base_form(word: str) -> str:
    for ending in _POSSESSIVES:
        word = word.removesuffix(ending)
    return word
