"""A seeded draw of questions that does not depend on their order."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from hoptrail.core.errors import InputError
from hoptrail.eval.datasets.example import Example


@dataclass(frozen=True, slots=True)
class Draw:
    """The drawn examples in the order of their ids, and how many could not be drawn."""

    examples: tuple[Example, ...]
    left_out: int


def draw(examples: Iterable[Example | None], size: int, seed: int) -> Draw:
    """Draw examples without replacement; memory grows with `size`, not with the set.

    Every id has its lot, a hash of seed and id, and the lowest lots win. So a larger draw with
    the same seed holds the smaller one.

    Args:
        examples: A whole set; None stands for a question that cannot be scored.
        size: How many to draw; 0 for all.
        seed: Another seed gives other lots.

    Raises:
        InputError: If two examples have one id.
    """
    unusable = 0

    def usable() -> Iterator[Example]:
        nonlocal unusable
        seen: set[str] = set()
        for example in examples:
            if example is None:
                unusable += 1
                continue
            if _id(example) in seen:
                raise InputError(f"two questions have the id {_id(example)!r}")
            seen.add(_id(example))
            yield example

    def lot(example: Example) -> str:
        return sha256(f"{seed}/{_id(example)}".encode()).hexdigest()

    drawn = heapq.nsmallest(size, usable(), key=lot) if size else list(usable())
    return Draw(tuple(sorted(drawn, key=_id)), unusable)


def _id(example: Example) -> str:
    name: str = example.question["id"]
    return name
