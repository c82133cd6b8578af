"""The servers of a knowledge base: brought in step with its folder, and looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from hoptrail.core.errors import HoptrailError
from hoptrail.core.progress import Progress
from hoptrail.core.settings import ServedBase
from hoptrail.core.types.record import Record
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.publication import bring_in_step
from hoptrail.stores.registry import open_store
from hoptrail.stores.serving import ServingStore


@dataclass(frozen=True, slots=True)
class StoreReport(Record):
    """The content that a server holds of a knowledge base.

    Attributes:
        store: Its address.
        generation: The one that it shows, None where it was never told any or does not answer.
        in_step: Whether that is the folder's, with all its items.
        counts: Items by kind, as the server counts them.
        written: Items that the last publication wrote.
        removed: Items that it took away.
        repaired: Why it wrote all items anew, or what it lacked beside items; "" else.
        error: Why the server could not be used, in one line.
    """

    store: str
    generation: int | None = None
    in_step: bool = False
    counts: Mapping[str, int] | None = None
    written: int = 0
    removed: int = 0
    repaired: str = ""
    error: str | None = None


def publish_to_stores(
    kb: KnowledgeBase, name: str, served: ServedBase, progress: Progress | None = None
) -> list[StoreReport]:
    """Bring each server of a base in step with its folder; one that fails is told, not raised.

    Args:
        kb: The folder, open for writing; while it has unpublished changes nothing is done.
        name: The base's name in the settings, and on the servers.
        served: Which servers there are.
        progress: Told how many items are written.
    """
    if served.graph is None or not kb.is_published:
        return []
    try:
        with _open(served.graph, name) as store:
            told = bring_in_step(kb, store, progress)
            kb.forget_changes(kb.newest_generation)
            report = _report(kb, served.graph, store)
    except HoptrailError as error:
        hint = f"when that is mended, run: hoptrail publish --kb {name}"
        return [StoreReport(served.graph, error=f"{error}; {hint}")]
    if told is not None:
        report = StoreReport(
            report.store,
            report.generation,
            report.in_step,
            report.counts,
            sum(told.put.values()),
            sum(told.gone.values()),
            told.repaired,
        )
    return [report]


def look_at_stores(kb: KnowledgeBase, name: str, served: ServedBase) -> list[StoreReport]:
    """Return what each server of a base holds; one that does not answer is told."""
    if served.graph is None:
        return []
    try:
        with _open(served.graph, name) as store:
            return [_report(kb, served.graph, store)]
    except HoptrailError as error:
        return [StoreReport(served.graph, error=str(error))]


@contextmanager
def _open(address: str, name: str) -> Iterator[ServingStore]:
    store = open_store(address, name)
    try:
        yield store
    finally:
        store.close()


def _report(kb: KnowledgeBase, address: str, store: ServingStore) -> StoreReport:
    state = store.state()
    if state is None:
        return StoreReport(address)
    base = kb.base_description()
    same = not state.lacking and (
        (state.base.records_id, state.generation, state.base.counts)
        == (base.records_id, kb.newest_generation, base.counts)
    )
    return StoreReport(
        address,
        state.generation,
        same,
        {str(kind): count for kind, count in state.base.counts.items()},
    )
