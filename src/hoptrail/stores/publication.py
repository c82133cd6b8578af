"""Bringing a server in step with the published generation of a base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from hoptrail.core.errors import StoreError
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.protocols import ITEM_KINDS, ItemKind
from hoptrail.stores.serving import BaseDescription, Change, Follower, Rows, StoreState


@dataclass(frozen=True, slots=True)
class Publication:
    """How much a server was told to be in step.

    Attributes:
        generation: What it shows now.
        since: What it showed before; None where all was written.
        put: How many items of each kind were written.
        gone: How many of each kind were taken away.
        repaired: Why all was written although the server had the base already, or what it lacked
            beside items; "" else.
    """

    generation: int
    since: int | None
    put: Mapping[ItemKind, int]
    gone: Mapping[ItemKind, int]
    repaired: str = ""


def bring_in_step(
    kb: KnowledgeBase,
    store: Follower,
    progress: Progress | None = None,
    *,
    with_vectors: bool = True,
) -> Publication | None:
    """Make a server show the published generation; return what that took, None for nothing.

    What changed since the server's generation is written. All is written where that is not known,
    or where the server does not hold what it should.

    Args:
        kb: Open for writing, and published.
        store: The server.
        progress: Told how many items are written.
        with_vectors: Whether it is told of vectors; not where another server has them.

    Raises:
        StoreError: If the server cannot be reached or used, or serves another base of that name.
    """
    kb.track_changes()
    state = store.state()
    base = described(kb, with_vectors=with_vectors)
    since, repaired = _starting_point(kb, base, state)
    if state is not None and since == kb.newest_generation:
        if not state.lacking:
            return None
        repaired = state.lacking

    def changed(since: int | None) -> Change:
        change = kb.change(since)
        return change if with_vectors else UnvectoredChange(change)

    change = changed(since)
    if since is not None and _items(change) > store.largest_change:
        since, change = None, changed(None)
    store.publish(change, progress or NoProgress())
    if since is not None and _counts(store) != change.base.counts:
        since, repaired = None, "it did not hold what was published there"
        change = changed(since)
        store.publish(change, progress or NoProgress())
    return _told(change, repaired)


def described(kb: KnowledgeBase, *, with_vectors: bool) -> BaseDescription:
    """Return what a server is told of a base."""
    base = kb.base_description()
    return base if with_vectors else replace(base, embedder="", dim=0)


def _starting_point(
    kb: KnowledgeBase, base: BaseDescription, state: StoreState | None
) -> tuple[int | None, str]:
    """Return the generation to go on from, and why not, where the server has the base already."""
    if state is None:
        return None, ""
    if state.base.records_id != base.records_id:
        raise StoreError(
            f"the server has another base of the name {state.base.name!r}",
            hint="give one of them another name in hoptrail.toml",
        )
    if (state.base.embedder, state.base.dim) != (base.embedder, base.dim):
        return None, "it has other vectors"
    tracked = kb.changes_tracked_since
    if not tracked <= state.generation <= kb.newest_generation:
        return None, "what changed since its generation is not known"
    if state.generation == kb.newest_generation and state.base.counts != base.counts:
        return None, "it did not hold what was published there"
    return state.generation, ""


def _counts(store: Follower) -> Mapping[ItemKind, int]:
    state = store.state()
    return {} if state is None else state.base.counts


def _items(change: Change) -> int:
    return sum(sum(change.counts(kind)) for kind in ITEM_KINDS)


def _told(change: Change, repaired: str) -> Publication:
    put: dict[ItemKind, int] = {kind: change.counts(kind)[0] for kind in ITEM_KINDS}
    gone: dict[ItemKind, int] = {kind: change.counts(kind)[1] for kind in ITEM_KINDS}
    return Publication(change.generation, change.since, put, gone, repaired)


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
