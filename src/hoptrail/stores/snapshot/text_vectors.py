"""The vectors of a generation by their text: names, sentences, what relations tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.stores.records.embedded_text import HASH_TYPE, HashArray, text_hash
from hoptrail.stores.records.embedding_table import HashPlaces
from hoptrail.stores.snapshot.arrays import Arrays
from hoptrail.stores.snapshot.vector_builder import COARSE_MATRICES, load_rows


@dataclass(frozen=True)
class TextVectors:
    """Vectors of the static model, which the tables do not store, by the hash of their text.

    Attributes:
        arrays: Those of a generation.
    """

    arrays: Arrays

    def of(self, texts: Sequence[str]) -> FloatArray:
        """Return the vectors of texts that were read in passages, zeros for others.

        Shape (len(texts), dim).
        """
        found = np.zeros((len(texts), load_rows(self.arrays, "chunk").dim), dtype=np.float32)
        hashes: HashArray = np.array([text_hash(text) for text in texts], dtype=HASH_TYPE)
        for name, (order, places) in self._sorted.items():
            at = places.of(hashes)
            known = at >= 0
            found[known] = load_rows(self.arrays, name).vectors(order[at[known]])
        return found

    @cached_property
    def _sorted(self) -> dict[str, tuple[IntArray, HashPlaces]]:
        """The order of the rows of each matrix by hash, and the places of hashes in that order."""
        found: dict[str, tuple[IntArray, HashPlaces]] = {}
        for name in sorted(COARSE_MATRICES):
            if f"{name}_hashes" in self.arrays:
                hashes = self.arrays[f"{name}_hashes"]
                order = np.argsort(hashes).astype(np.int32)
                found[name] = order, HashPlaces(hashes[order])
        return found
