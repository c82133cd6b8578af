"""Flips a share of decisions, the same ones for the same seed in whatever order they are made."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from hoptrail.core.errors import SettingsError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Noise:
    """Draws by seed and the name of a decision, so that neither order nor concurrency matters.

    Attributes:
        share: Share of decisions to flip, 0 to 1.
        seed: Another seed flips others.

    Raises:
        SettingsError: If the share is no number from 0 to 1.
    """

    share: float = 0.0
    seed: int = 42

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise SettingsError(
                f"noise is a share from 0 to 1, not {self.share:g}", hint="such as noise=0.1"
            )

    def flips(self, *decision: object) -> bool:
        """Return whether to flip the decision of this name."""
        return self._draw("flip", *decision) < self.share

    def choose(self, options: Sequence[T], *decision: object) -> T:
        """Return one of the options, at least one, by the decision's name."""
        return options[int(self._draw("choose", *decision) * len(options))]

    def _draw(self, *name: object) -> float:
        """Return a number in [0, 1) that is uniform over names."""
        text = "\x1f".join(map(str, (self.seed, *name)))
        digest = hashlib.sha256(text.encode()).digest()
        # 53 bits are what a float holds: more of them could round up to 1.
        return (int.from_bytes(digest[:8], "big") >> 11) / 2**53
