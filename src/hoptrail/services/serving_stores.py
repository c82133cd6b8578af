"""The servers of a knowledge base: brought in step with its folder, and looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial

from hoptrail.core.errors import HoptrailError
from hoptrail.core.progress import Progress
from hoptrail.core.settings import ServedBase
from hoptrail.core.types.record import Record
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.publication import bring_in_step
from hoptrail.stores.registry import open_store, open_vector_store
from hoptrail.stores.served_vectors import FolderSource
from hoptrail.stores.serving import Follower


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


@dataclass(frozen=True, slots=True)
class _Server:
    """A server of a base, and whether it is told of vectors."""

    address: str
    open: Callable[[], Follower]
    with_vectors: bool = True


def publish_to_stores(
    kb: KnowledgeBase, name: str, served: ServedBase, progress: Progress | None = None
) -> list[StoreReport]:
    """Bring each server of a base in step with its folder; one that fails is told, not raised.

    Vectors come first, for a graph needs those of its generation; where they fail, the graph stays
    at the generation before.

    Args:
        kb: The folder, open for writing; while it has unpublished changes nothing is done.
        name: The base's name in the settings, and on the servers.
        served: Which servers there are.
        progress: Told how many items are written.
    """
    reports: list[StoreReport] = []
    if not kb.is_published:
        return reports
    for server in _servers(name, served):
        report = _publish(kb, name, server, progress)
        reports.append(report)
        if report.error is not None:
            return reports
    if reports:
        kb.forget_changes(kb.newest_generation)
    return reports


def look_at_stores(kb: KnowledgeBase, name: str, served: ServedBase) -> list[StoreReport]:
    """Return what each server of a base holds; one that does not answer is told."""
    return [_look_at(kb, server) for server in _servers(name, served)]


def open_source(
    kb: KnowledgeBase, name: str, served: ServedBase
) -> tuple[KnowledgeSource, ExitStack]:
    """Return what questions are answered from, and what closes its connections.

    Args:
        kb: The folder, opened with its embedder.
        name: The base's name in the settings, and on the servers.
        served: Which servers there are.

    Raises:
        EmbedderMismatchError: If a server has vectors of another embedder.
        StoreError: If the graph's server cannot be asked, or was never told of the base.
    """
    vectors = served.vectors
    if served.graph is None:
        if vectors is None:
            return kb, ExitStack()
        folder = FolderSource(kb, partial(open_vector_store, vectors, name), vectors)
        connections = ExitStack()
        connections.callback(folder.close)
        return folder, connections
    with ExitStack() as opened:  # closes what is open where a later one fails
        search = None
        if vectors is not None:
            store = open_vector_store(vectors, name)
            opened.callback(store.close)
            search = store.vectors()
        graph = open_store(served.graph, name)
        opened.callback(graph.close)
        source = graph.source(kb.embedder, search)
        return source, opened.pop_all()


def _servers(name: str, served: ServedBase) -> Iterator[_Server]:
    if served.vectors is not None:
        yield _Server(served.vectors, partial(open_vector_store, served.vectors, name))
    if served.graph is not None:
        has_vectors = served.vectors is None
        yield _Server(served.graph, partial(open_store, served.graph, name), has_vectors)


def _publish(
    kb: KnowledgeBase, name: str, server: _Server, progress: Progress | None
) -> StoreReport:
    try:
        with closing(server.open()) as store:
            told = bring_in_step(kb, store, progress, with_vectors=server.with_vectors)
            report = _report(kb, server, store)
    except HoptrailError as error:
        hint = f"when that is mended, run: hoptrail publish --kb {name}"
        return StoreReport(server.address, error=f"{error}; {hint}")
    if told is None:
        return report
    return replace(
        report,
        written=sum(told.put.values()),
        removed=sum(told.gone.values()),
        repaired=told.repaired,
    )


def _look_at(kb: KnowledgeBase, server: _Server) -> StoreReport:
    try:
        with closing(server.open()) as store:
            return _report(kb, server, store)
    except HoptrailError as error:
        return StoreReport(server.address, error=str(error))


def _report(kb: KnowledgeBase, server: _Server, store: Follower) -> StoreReport:
    state = store.state()
    if state is None:
        return StoreReport(server.address)
    base = kb.base_description(with_vectors=server.with_vectors)
    told = ("records_id", "embedder", "dim", "counts")
    same = (
        not state.lacking
        and state.generation == kb.newest_generation
        and all(getattr(state.base, name) == getattr(base, name) for name in told)
    )
    return StoreReport(
        server.address,
        state.generation,
        same,
        {str(kind): count for kind, count in state.base.counts.items()},
    )
