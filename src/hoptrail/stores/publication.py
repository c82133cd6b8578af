"""Bringing a server in step with the published generation of a base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hoptrail.core.errors import StoreError
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.protocols import ITEM_KINDS, ItemKind
from hoptrail.stores.serving import BaseDescription, Change, Follower, StoreState


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
    base = kb.base_description(with_vectors=with_vectors)
    since, repaired = _starting_point(kb, base, state)
    if state is not None and since == kb.newest_generation:
        if not state.lacking:
            return None
        repaired = state.lacking

    change = kb.change(since, with_vectors=with_vectors)
    if since is not None and _items(change) > store.largest_change:
        since, change = None, kb.change(None, with_vectors=with_vectors)
    store.publish(change, progress or NoProgress())
    if since is not None and _counts(store) != change.base.counts:
        since, repaired = None, "it did not hold what was published there"
        change = kb.change(since, with_vectors=with_vectors)
        store.publish(change, progress or NoProgress())
    return _told(change, repaired)


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
