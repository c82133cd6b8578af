"""Scores relation paths against one question."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from hoptrail.core.algorithms.sorted_sets import distinct
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.models.path_scorer import PathScorer, lengths_of
from hoptrail.retrievers.anchors.named_topics import around_mask
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.paths.predicate_vectors import shared_vectors
from hoptrail.stores.knowledge_source import KnowledgeSource

_MOST_TEXTS = 128
_TEMPERATURE = 0.05


def predicate_text(predicate: str) -> str:
    """Return a predicate's words: "directed by" of directed_by or http://example.org/directed_by."""
    name = re.split(r"[/#]", predicate.rstrip("/#"))[-1]
    return " ".join(re.sub(r"[._]+", " ", name).split())


def path_text(predicates: Sequence[str]) -> str:
    """Return a path as words, the last step first: "release year of starred actors"."""
    return " of ".join(predicate_text(name) for name in reversed(predicates))


class PathMatcher:
    """Scores sequences of steps (see `RelationPath`) against a question.

    Without a scorer a path counts by the similarity of its text to the question; texts are only
    embedded for the paths whose predicates are nearest to it on average.

    Args:
        question: The question with its topic masked.
        kb: The knowledge base, which embeds texts.
        view: Its present generation.
        vectors: Vectors of predicates by number, to which missing ones are added.
        scorer: The learned scorer of this embedder, or None.
    """

    def __init__(
        self,
        question: str,
        kb: KnowledgeSource,
        view: View,
        vectors: dict[int, FloatArray],
        scorer: PathScorer | None,
    ) -> None:
        self._vector = kb.embed_query(question)
        self._around = kb.embed_query(around_mask(question))
        self._kb = kb
        self._view = view
        self._names = view.index.predicates
        self._vectors = vectors
        self._scorer = scorer

    def scores(self, paths: IntArray) -> FloatArray:
        """Return a score per path: the higher, the better it fits.

        Args:
            paths: Steps of each, shape (paths, hops or fewer), -1 behind its end.
        """
        if len(paths) == 0:
            return np.zeros(0, dtype=np.float32)
        known = distinct(paths[paths >= 0] >> 1)
        predicates = self._embedded(known.tolist())
        place_of = np.zeros(int(known[-1]) + 1, dtype=np.int32)
        place_of[known] = np.arange(len(known), dtype=np.int32)
        local = np.where(paths >= 0, place_of[paths >> 1] << 1 | paths & 1, -1)
        if self._scorer is not None:
            return self._scorer.scores(np.stack([self._vector, self._around]), predicates, local)
        return self._by_text(paths, self._by_predicates(predicates, local))

    def _embedded(self, numbers: Sequence[int]) -> FloatArray:
        """Return the vectors of predicates, shape (numbers, dim)."""
        missing = [number for number in numbers if number not in self._vectors]
        texts = {number: predicate_text(str(self._names[number])) for number in missing}
        if texts and not self._view.has_passages:
            shared = shared_vectors(self._kb, self._view, texts)
            self._vectors.update(shared)
            texts = {number: text for number, text in texts.items() if number not in shared}
        if texts:
            vectors = self._kb.embedder.embed(list(texts.values()))
            self._vectors.update(zip(texts, vectors, strict=True))
        return np.stack([self._vectors[number] for number in numbers])

    def _by_predicates(self, predicates: FloatArray, paths: IntArray) -> FloatArray:
        products = (predicates @ self._vector)[paths >> 1]
        sums = np.where(paths >= 0, products, 0).sum(axis=1, dtype=np.float64)
        means: FloatArray = (sums / lengths_of(paths)).astype(np.float32)
        return means

    def _by_text(self, paths: IntArray, rough: FloatArray) -> FloatArray:
        """Return the similarities of texts; paths that no text was made of score lowest."""
        chosen = np.argsort(-rough, kind="stable")[:_MOST_TEXTS]
        scores = (rough - 2.0) / _TEMPERATURE
        for place in chosen.tolist():
            vector = self._kb.embed_query(self._text(paths[place].tolist()))
            scores[place] = vector @ self._vector / _TEMPERATURE
        return scores.astype(np.float32)

    def _text(self, path: Sequence[int]) -> str:
        return path_text([str(self._names[step >> 1]) for step in path if step >= 0])
