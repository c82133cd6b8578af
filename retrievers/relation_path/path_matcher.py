"""Scores relation paths against one question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.models.path_scorer import PathScorer, flatten
from hoptrail.retrievers.anchors.named_topics import around_mask
from hoptrail.retrievers.base.snapshot_view import View
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
        self._names = view.index.predicates
        self._vectors = vectors
        self._scorer = scorer

    def scores(self, paths: Sequence[tuple[int, ...]]) -> FloatArray:
        """Return a score per path, shape (len(paths),): the higher, the better it fits."""
        if not paths:
            return np.zeros(0, dtype=np.float32)
        numbers = sorted({step >> 1 for path in paths for step in path})
        self._embed(numbers)
        predicates = np.stack([self._vectors[number] for number in numbers])
        place = {number: row for row, number in enumerate(numbers)}
        local = [tuple(place[step >> 1] << 1 | step & 1 for step in path) for path in paths]
        if self._scorer is not None:
            return self._scorer.scores(np.stack([self._vector, self._around]), predicates, local)
        return self._by_text(paths, self._by_predicates(predicates, local))

    def _embed(self, numbers: Iterable[int]) -> None:
        missing = [number for number in numbers if number not in self._vectors]
        if missing:
            texts = [predicate_text(str(self._names[number])) for number in missing]
            vectors = self._kb.embedder.embed(texts)
            self._vectors.update(zip(missing, vectors, strict=True))

    def _by_predicates(
        self, predicates: FloatArray, paths: Sequence[tuple[int, ...]]
    ) -> FloatArray:
        rows, _, steps = flatten(paths)
        products = (predicates @ self._vector)[steps >> 1]
        sums = np.bincount(rows, weights=products, minlength=len(paths))
        means: FloatArray = (sums / np.bincount(rows, minlength=len(paths))).astype(np.float32)
        return means

    def _by_text(self, paths: Sequence[tuple[int, ...]], rough: FloatArray) -> FloatArray:
        """Return the similarities of texts; paths that no text was made of score lowest."""
        chosen = np.argsort(-rough, kind="stable")[:_MOST_TEXTS]
        scores = (rough - 2.0) / _TEMPERATURE
        for place in chosen.tolist():
            vector = self._kb.embed_query(self._text(paths[place]))
            scores[place] = vector @ self._vector / _TEMPERATURE
        return scores.astype(np.float32)

    def _text(self, path: tuple[int, ...]) -> str:
        return path_text([str(self._names[step >> 1]) for step in path])
