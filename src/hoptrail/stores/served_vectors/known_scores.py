"""The similarities to one query that are known so far."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray


@dataclass(slots=True, eq=False)
class KnownScores:
    """Similarities of some vectors by row, ascending; usable from any thread.

    Attributes:
        depth: How many of the nearest vectors are among them.
        least: The score of the last of these.
    """

    depth: int = 0
    least: float = 0.0
    _rows: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    _scores: FloatArray = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, rows: IntArray, scores: FloatArray, depth: int = 0) -> None:
        """Note scores; with a depth, they are those of so many nearest."""
        with self._lock:
            merged, first = np.unique(np.concatenate((self._rows, rows)), return_index=True)
            both = np.concatenate((self._scores, scores.astype(np.float32)))
            self._rows, self._scores = merged.astype(np.int32), both[first]
            if depth > self.depth:
                self.depth = depth
                self.least = max(0.0, float(scores.min(initial=1.0))) if len(scores) else 0.0

    def all(self) -> tuple[IntArray, FloatArray]:
        """Return the rows that are known and their scores."""
        with self._lock:
            return self._rows, self._scores

    def at(self, rows: IntArray) -> FloatArray:
        """Return the scores of these rows, NaN where one is not known."""
        known, scores = self.all()
        found = np.full(len(rows), np.nan, dtype=np.float32)
        if len(known):
            places = np.minimum(np.searchsorted(known, rows), len(known) - 1)
            is_known = known[places] == rows
            found[is_known] = scores[places[is_known]]
        return found
