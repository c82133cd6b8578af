"""Paths that say nothing that a longer one does not say."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence


def without_prefixes(
    paths: Sequence[Sequence[Hashable]], finished: Collection[int] = ()
) -> list[int]:
    """Return the places of the paths that are no proper prefix of another, repetitions once.

    Args:
        paths: Each as the sequence of its edges.
        finished: Places of paths that stay although a longer one begins with them.
    """
    prefixes = {tuple(path[:end]) for path in paths for end in range(1, len(path))}
    first = {tuple(path): place for place, path in reversed(list(enumerate(paths)))}
    return [
        place
        for place, path in enumerate(paths)
        if path
        and first[tuple(path)] == place
        and (place in finished or tuple(path) not in prefixes)
    ]
