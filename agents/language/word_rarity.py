"""How much a word tells: words that few of the texts at hand have tell more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence


class WordRarity:
    """The rarity of word groups among some texts: log(1 + (texts + 1) / (texts that have it)).

    Args:
        texts: The word groups of each text.
        smoothing: Added to the texts that have a word, so that a single one tells less.
    """

    def __init__(self, texts: Sequence[frozenset[str]], smoothing: int = 0) -> None:
        total = len(texts) + 1
        counts = Counter(group for groups in texts for group in groups)
        self._rarity = {
            group: math.log(1 + total / (count + smoothing)) for group, count in counts.items()
        }
        self._unseen = math.log(1 + total)

    def of(self, groups: Iterable[str]) -> float:
        """Return the summed rarity of some groups; one that no text has is the rarest."""
        return sum(self._rarity.get(group, self._unseen) for group in groups)

    def share(self, wanted: frozenset[str], present: frozenset[str]) -> float:
        """Return the share of the wanted groups, weighted by rarity, that are present, 0 to 1."""
        common = wanted & present
        return self.of(common) / self.of(wanted) if common else 0.0
