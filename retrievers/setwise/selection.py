"""Choose passages one by one, each for what it adds to those before it."""

from __future__ import annotations

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.retrievers.setwise.candidates import Candidates, Sign

_DECIMALS = 5
_WEIGHTS = {
    Sign.PAGERANK: 0.2702,
    Sign.PLACE: -0.5161,
    Sign.SIMILARITY: 3.5737,
    Sign.RELATION: 1.8281,
    Sign.TITLE: 1.2684,
    Sign.WORDS: -1.8858,
    Sign.NEW_WORDS: 11.3717,
    Sign.TITLED_BY_MENTIONED: 2.3449,
    Sign.SHARED_ENTITY: 2.9727,
}
"""Learned by `benchmarks/train_setwise.py`; docs/evaluation.md tells on which vectors."""
_WEIGHT_ROW = np.array([_WEIGHTS[sign] for sign in Sign], dtype=np.float32)


class Selection:
    """The passages chosen so far, and what every other would add.

    Args:
        candidates: The passages to choose from.

    Attributes:
        places: Places of the chosen ones among the candidates, in order.
        links: For each of these the row of the entity that it shares with one before it, the rarest
            of several; None for none.
    """

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        self._is_left = np.ones(len(candidates), dtype=np.bool_)
        self._left_weights = candidates.word_weights.copy()
        self._is_reached = np.zeros(len(candidates.entities) + 1, dtype=np.bool_)  # last: no entity
        self._rarity = 1.0 / np.sqrt(np.maximum(candidates.entity_passages, 1))
        self.places: list[int] = []
        self.links: list[int | None] = []

    def features(self) -> FloatArray:
        """Return all columns of `Sign` for all candidates, shape (n, 9)."""
        candidates = self._candidates
        titled = candidates.title_entity
        rarity = np.append(self._rarity, 0.0)
        opened = np.sqrt(rarity[titled]) * self._is_reached[titled]
        shared = np.zeros(len(candidates))
        is_shared = self._is_reached[candidates.mentioned]
        of_shared = candidates.mentioned[is_shared]
        np.maximum.at(shared, candidates.mention_of[is_shared], self._rarity[of_shared])
        added = np.stack([candidates.has_word @ self._left_weights, opened, shared], axis=1)
        return np.concatenate([candidates.features, added.astype(np.float32)], axis=1)

    def left(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which candidates are not chosen yet, shape (n,)."""
        return self._is_left

    def add(self, place: int) -> None:
        """Choose a candidate."""
        candidates = self._candidates
        mentioned = candidates.mentioned[candidates.mention_of == place]
        common = mentioned[self._is_reached[mentioned]]
        self.links.append(
            int(candidates.entities[common[np.argmax(self._rarity[common])]])
            if len(common)
            else None
        )
        self.places.append(place)
        self._is_left[place] = False
        self._is_reached[mentioned] = True
        self._left_weights = self._left_weights * (1.0 - candidates.has_word[place])

    def choose(self, count: int) -> None:
        """Choose so many more by their weighed features, the best one at a time; ties by place."""
        for _ in range(min(count, int(self._is_left.sum()))):
            self.add(int(np.argmax(self._scores())))

    def rest(self) -> list[int]:
        """Return the places of the candidates that are left, best first as things stand."""
        order = np.argsort(-self._scores(), kind="stable")
        return [place for place in order.tolist() if self._is_left[place]]

    def _scores(self) -> FloatArray:
        scores = np.round(self.features() @ _WEIGHT_ROW, _DECIMALS)
        scores[~self._is_left] = -np.inf
        return scores
