"""Question vectors, the recent ones remembered: one question is asked through many channels."""

from __future__ import annotations

import threading
from collections import OrderedDict

from hoptrail.core.embedding import Embedder, FloatArray, embed_one

_REMEMBERED = 1024


class QueryVectors:
    """Embeds questions, least recently used ones forgotten; usable from any thread."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._vectors: OrderedDict[str, FloatArray] = OrderedDict()
        self._lock = threading.Lock()

    def vector(self, text: str) -> FloatArray:
        """Return the unit vector of a text, shape (dim,)."""
        with self._lock:
            known = self._vectors.get(text)
            if known is not None:
                self._vectors.move_to_end(text)
                return known
        vector = embed_one(self.embedder, text)
        vector.setflags(write=False)
        with self._lock:
            self._vectors[text] = vector
            if len(self._vectors) > _REMEMBERED:
                self._vectors.popitem(last=False)
        return vector
