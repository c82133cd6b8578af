"""Retrieval of passages alone: by words (BM25), by vectors, or all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.core.language.detection import ENGLISH, question_language
from hoptrail.core.language.stems import shared_prefixes, stemmer_of
from hoptrail.core.text import content_words
from hoptrail.core.types import Evidence
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.passage_ranking import (
    chunk_similarities,
    fill_budget,
    load_passages,
    ranked_rows,
)
from hoptrail.stores.snapshot.graph_index import rows_of
from hoptrail.stores.snapshot.lexicon import Lexicon

_POSSESSIVES = ("'s", "’s")
_LAST = "\U0010ffff"
_MOST = 2000  # words with the same first letters that are looked at


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


def word_forms(words: IdArray, term: str, language: str) -> list[int]:
    """Return the rows of the words with the stem of a term, accents aside, ascending.

    Only words that share its first letters are looked at, so a base of any size takes a moment.

    Args:
        words: All words, sorted.
        term: A lower-cased word.
        language: ISO 639 code.
    """
    stem = stemmer_of(language)
    wanted = stem(term)
    prefixes = shared_prefixes(term)
    firsts = np.searchsorted(words, prefixes)
    lasts = np.searchsorted(words, [prefix + _LAST for prefix in prefixes])
    near = sorted({row for one, end in zip(firsts, lasts, strict=True) for row in range(one, end)})
    return [row for row in near[:_MOST] if stem(str(words[row])) == wanted]


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


class FullRetriever(Retriever):
    """Passages in the order of their documents, as many as the budget holds.

    Nothing is ranked: the first passages are returned where not all of them fit.
    """

    name_in_registry: ClassVar[str] = "full"
    uses_vector: ClassVar[bool] = False
    finds_graph: ClassVar[bool] = False

    def _search(self, query: Query, view: View) -> Evidence:
        by_document = np.argsort(view.index.chunk_doc, kind="stable").astype(np.int32)
        rows = fill_budget(view.index, by_document, self.budget, at_least=self.k)
        hits = load_passages(view, rows, np.zeros(len(rows), dtype=np.float32), channel="full")
        in_order = sorted(hits, key=lambda hit: (hit.item.doc_id, hit.item.start))
        return Evidence(chunks=tuple(in_order))
