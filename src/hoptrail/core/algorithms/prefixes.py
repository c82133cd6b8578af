"""Paths that say nothing that a longer one does not say."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def without_prefixes(paths: Sequence[Sequence[Hashable]]) -> list[int]:
    """Return the places of the paths that are no proper prefix of another, repetitions once.

    Args:
        paths: Each as the sequence of its edges.
    """
    prefixes = {tuple(path[:end]) for path in paths for end in range(1, len(path))}
    first = {tuple(path): place for place, path in reversed(list(enumerate(paths)))}
    return [
        place
        for place, path in enumerate(paths)
        if path and tuple(path) not in prefixes and first[tuple(path)] == place
    ]
