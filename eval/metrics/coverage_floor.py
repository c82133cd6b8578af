"""The floor of coverage: the same budget filled with passages drawn by chance."""

from __future__ import annotations

import random

from hoptrail.core.render import render
from hoptrail.core.types import Evidence, Hit
from hoptrail.stores.knowledge_base import KnowledgeBase


class RandomFloor:
    """Random passages of a knowledge base, the same for the same seed."""

    def __init__(self, knowledge_base: KnowledgeBase, budget: int, seed: int) -> None:
        self._kb = knowledge_base
        self._budget = budget
        self._seed = seed

    def context(self, draw: str) -> str | None:
        """Return passages drawn without replacement, rendered at the budget; None without any.

        Args:
            draw: Names the draw; one per question makes them independent and repeatable.
        """
        if not len(self._kb.index.chunk_ids):
            return None
        evidence = Evidence(
            chunks=tuple(Hit(chunk) for chunk in self._kb.store.chunks(self._draw_ids(draw)))
        )
        return render(evidence, self._budget).text

    def _draw_ids(self, draw: str) -> list[str]:
        index = self._kb.index
        rows = list(range(len(index.chunk_ids)))
        random.Random(f"{self._seed}/{draw}").shuffle(rows)
        drawn: list[str] = []
        tokens = 0
        for row in rows:
            if tokens >= self._budget:
                break
            drawn.append(str(index.chunk_ids[row]))
            tokens += int(index.chunk_tokens[row])
        return drawn
