"""Several orders of the same rows as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice


def in_turns(*orders: tuple[Iterable[int], int]) -> Iterator[int]:
    """Yield so many rows of each order in each turn, every row once, until all are at their end.

    Args:
        *orders: Each with its number of rows a turn.
    """
    waiting = [(iter(rows), count) for rows, count in orders]
    seen: set[int] = set()
    while turn := [row for rows, count in waiting for row in islice(rows, count)]:
        for row in turn:
            if row not in seen:
                seen.add(row)
                yield row
