"""A change as a server is told of it that has no vectors, as another server has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.serving import BaseDescription, Change, Rows


class UnvectoredChange:
    """A `Change` without vectors.

    Args:
        change: The same with them.
    """

    def __init__(self, change: Change) -> None:
        self._change = change
        self.generation = change.generation
        self.since = change.since
        self.base: BaseDescription = replace(change.base, embedder="", dim=0)

    def counts(self, kind: ItemKind) -> tuple[int, int]:
        """Return how many items of a kind are put, and how many are gone."""
        return self._change.counts(kind)

    def put(self, kind: ItemKind, batch: int) -> Iterator[Rows]:
        """Yield the items that are new or changed, at most `batch` at once."""
        for rows in self._change.put(kind, batch):
            yield Rows(rows.items, rows.vectors[:, :0])

    def gone(self, kind: ItemKind, batch: int) -> Iterator[list[str]]:
        """Yield the ids of items that are no more."""
        return self._change.gone(kind, batch)
