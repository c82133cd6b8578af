"""String matching between a question and names or passages, without any model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import content_words
from hoptrail.core.types import Entity
from hoptrail.retrievers.anchors.named_entities import stands_in

_SHORTEST_PARTIAL_WORD = 5


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """A question's text and content words, lower-cased."""

    text: str
    words: frozenset[str]

    @classmethod
    def of(cls, question: str) -> Self:
        """Read a question."""
        return cls(question.lower(), frozenset(_base_forms(question)))

    def matches(self, entity: Entity) -> bool:
        """Return whether the question speaks of an entity, under its name or an alias.

        One of three must hold: (a) the name stands in the question; (b) all content words of a name
        of several do; (c) a content word of the question of five or more letters is a word of the
        name.
        """
        return any(self._matches_name(name) for name in (entity.name, *entity.aliases))

    def overlap(self, texts: Sequence[str]) -> FloatArray:
        """Return how much of the question each text holds, shape (len(texts),).

        A content word counts the more, the fewer of the texts hold it.
        """
        lowered = [text.lower() for text in texts]
        holds = np.array([[word in text for word in sorted(self.words)] for text in lowered])
        if holds.size == 0:
            return np.zeros(len(texts), dtype=np.float32)
        weights = np.log1p(len(texts) / (1 + holds.sum(axis=0)))
        overlap: FloatArray = np.asarray(holds @ weights, dtype=np.float32)
        return overlap

    def _matches_name(self, name: str) -> bool:
        if stands_in(self.text, name.lower()):
            return True
        named = set(_base_forms(name))
        if len(named) > 1 and named <= self.words:
            return True
        return any(len(word) >= _SHORTEST_PARTIAL_WORD for word in named & self.words)


def _base_forms(text: str) -> list[str]:
    return [word.removesuffix("'s").removesuffix("’s") for word in content_words(text)]
