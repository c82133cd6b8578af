"""The open folder of a knowledge base: its database, its published arrays, its embedder."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar
from weakref import finalize

import numpy as np

from hoptrail.core.algorithms.incidence import Hubs
from hoptrail.core.embedding import (
    Embedder,
    FloatArray,
    RememberingEmbedder,
    RemoteEmbedder,
    embed_one,
    is_symmetric,
    known_static_of,
    probe_vector,
)
from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.stores.knowledge_source import Focus, Size, View
from hoptrail.stores.protocols import GraphStore, VectorIndex, VectorKind
from hoptrail.stores.records import embedding_table, tables
from hoptrail.stores.records.copies import PART_OF
from hoptrail.stores.records.database import Database
from hoptrail.stores.records.embedding_table import check_embedder
from hoptrail.stores.records.folder import WriterLock
from hoptrail.stores.records.item_store import SqliteGraphStore
from hoptrail.stores.records.stored_embedders import VerifiedEmbedder
from hoptrail.stores.snapshot.graph_index import CommunityIndex, GraphIndex
from hoptrail.stores.snapshot.lexicon import Lexicon
from hoptrail.stores.snapshot.publishing import CurrentSnapshot, current_snapshot
from hoptrail.stores.snapshot.snapshot import Snapshot, SnapshotCache

P = ParamSpec("P")
T = TypeVar("T")

_REMEMBERED = 1024  # questions, and texts beside them: one is asked through many channels


@dataclass(frozen=True, slots=True)
class _Memory:
    """The embedder with what it embedded lately; both are one where it embeds both alike."""

    texts: RememberingEmbedder
    questions: RememberingEmbedder


class OpenRecords:
    """The part that the roles of `KnowledgeBase` share; see there."""

    def __init__(
        self, path: Path, database: Database, lock: WriterLock | None, embedder: Embedder | None
    ) -> None:
        self._path = path
        self._database = database
        self._lock = lock
        self._embedder = embedder
        self._cache = SnapshotCache(path)
        self._snapshot = CurrentSnapshot(self._load_snapshot)
        self._store = SqliteGraphStore(database)
        self._embedder_id = self._agree_on_embedder(embedder)
        self._agreed_at = -1  # the generation at which a reader last looked who embedded the base
        self._memory = self._remember(embedder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and give the writer's lock back; a second call does nothing."""
        self._database.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def close_when_unused(self) -> None:
        """Close the file once nothing refers to this object any more."""
        finalize(self, self._database.close)

    @property
    def path(self) -> Path:
        """The folder."""
        return self._path

    @property
    def name(self) -> str:
        """That of its folder, wherever it was moved to; of a filtered part, that of the whole."""
        with self._database.read() as connection:
            return tables.read_meta(connection, PART_OF) or self._path.resolve().name

    @property
    def generation(self) -> int:
        """Number of the published generation that `index` and the others show."""
        return self._snapshot.get().index.generation

    @property
    def newest_generation(self) -> int:
        """Number of the last published generation, shown or not; 0 before the first."""
        with self._database.read(newest=True) as connection:
            return tables.generation(connection)

    @property
    def is_published(self) -> bool:
        """Whether the published generation shows all that was written."""
        with self._database.read() as connection:
            return not tables.is_changed(connection)

    @property
    def size(self) -> Size:
        """How much the published generation holds."""
        snapshot = self._snapshot.get()
        index, reports = snapshot.index, snapshot.vectors["report"]
        return Size(
            len(index.chunk_ids), len(index.entity_ids), len(index.relation_ids), len(reports)
        )

    @property
    def store(self) -> GraphStore:
        """Documents, chunks, entities, relations and communities by id."""
        return self._store

    @property
    def index(self) -> GraphIndex:
        """The graph as arrays."""
        return self._snapshot.get().index

    @property
    def community_index(self) -> CommunityIndex:
        """The hierarchy of communities as arrays."""
        return self._snapshot.get().communities

    @property
    def hubs(self) -> Hubs:
        """Entities with many relations, these grouped by what scores the same."""
        return self._snapshot.get().hubs

    @property
    def lexicon(self) -> Lexicon:
        """Words and the chunks they stand in."""
        return self._snapshot.get().lexicon

    def vectors(self, kind: VectorKind) -> VectorIndex:
        """Return the vectors of the items of one kind."""
        return self._snapshot.get().vectors[kind]

    @property
    def embedder(self) -> Embedder:
        """The embedder that it was opened with, or changed to.

        Raises:
            KnowledgeBaseError: If the base was opened without one.
        """
        return self._known_memory().texts.embedder

    def embed_query(self, text: str) -> FloatArray:
        """Return the unit vector of a question, shape (dim,); recent ones are remembered.

        Raises:
            KnowledgeBaseError: If the base was opened without an embedder.
        """
        return embed_one(self._known_memory().questions, text)

    def embed_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of any texts, shape (len(texts), dim); stored ones are taken.

        Only texts that the base has no vector of reach the embedder; recent ones are remembered.

        Raises:
            KnowledgeBaseError: If the base was opened without an embedder.
        """
        vectors = self.embeddings(texts)
        missing = np.flatnonzero(~vectors.any(axis=1))
        if len(missing):
            made = self._known_memory().texts.embed([texts[i] for i in missing.tolist()])
            vectors[missing] = made
        return vectors

    def use_embedder(self, embedder: Embedder) -> None:
        """Turn questions into vectors by an embedder from now on.

        Raises:
            EmbedderMismatchError: If the base was embedded with another model.
        """
        self._embedder_id = self._agree_on_embedder(embedder)
        self._embedder = embedder
        self._memory = self._remember(embedder)
        self._snapshot.drop()  # it may lack what only a static model makes

    def refresh(self) -> bool:
        """Take up a newer generation where there is one, and return whether there was.

        Raises:
            EmbedderMismatchError: If another model embedded it meanwhile.
        """
        newest = self.newest_generation
        if self._lock is None and newest != self._agreed_at:
            self._agree_anew()
            self._agreed_at = newest
        return self._snapshot.refresh(newest)

    @contextmanager
    def pinned(self) -> Iterator[None]:
        """Show this thread one generation within: arrays, and texts from `store` that go with them.

        Another thread or process may publish meanwhile. A newer generation is taken up before.
        """
        while True:
            with self._database.pinned() as connection, self._snapshot.pinned():
                shown, newest = self.generation, tables.generation(connection)
                if shown == newest:
                    yield
                    return
            if shown < newest:
                self._snapshot.refresh(newest)

    @contextmanager
    def view(self, focus: Focus | None = None) -> Iterator[View]:
        """Show one generation within: all of it, whatever the focus."""
        with self.pinned():
            shown = self._snapshot.get()
            yield View(
                self._store,
                shown.index,
                shown.communities,
                lambda: shown.lexicon,
                shown.vectors,
                shown.hubs,
                shown.derived,
            )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Join the writes of this thread within into one transaction; an error undoes them all."""
        try:
            with self._database.write():
                yield
        except BaseException:
            self._snapshot.drop()  # it may show a generation that was undone
            raise

    def embeddings(self, texts: Sequence[str]) -> FloatArray:
        """Return the base's vectors, shape (len(texts), dim); zeros for a text that has none yet.

        Those of the static model are found once they are published.

        Raises:
            KnowledgeBaseError: If neither the base nor who opened it has an embedder.
        """
        if self._embedder_id is None and self._embedder is not None:
            return np.zeros((len(texts), self._embedder.dim), dtype=np.float32)
        with self._database.read() as connection:
            vectors = embedding_table.stored_vectors(connection, self._known_embedder(), texts)
            noted = embedding_table.noted_static(connection, self._embedder_id)
        missing = np.flatnonzero(~vectors.any(axis=1))
        if len(missing) and noted is not None:
            vectors[missing] = self._snapshot.get().texts.of([texts[i] for i in missing.tolist()])
        return vectors

    def _known_static(self) -> Embedder | None:
        """Return the static model that comes with the embedder, used for new texts or not."""
        return None if self._embedder is None else known_static_of(self._embedder)

    def _load_snapshot(self) -> Snapshot:
        """Load the published generation, unless another model embedded it since `open`."""
        if self._lock is None:
            self._agree_anew()
        return current_snapshot(self._database, self._cache, self._known_static())

    def _known_memory(self) -> _Memory:
        if self._memory is None:
            raise KnowledgeBaseError(
                f"{self._path} was opened without an embedder", hint="open it with embedder=..."
            )
        return self._memory

    def _remember(self, embedder: Embedder | None) -> _Memory | None:
        """Return the embedder with a memory; a remote one with a check of what it sends."""
        if embedder is None:
            return None
        if isinstance(embedder, RemoteEmbedder) and self._embedder_id is not None:
            with self._database.read() as connection:
                record = embedding_table.embedder_record(connection, self._embedder_id)
            embedder = VerifiedEmbedder(embedder, record, self._path)
        texts = RememberingEmbedder(embedder, _REMEMBERED)
        if is_symmetric(embedder):
            return _Memory(texts, texts)
        return _Memory(texts, RememberingEmbedder(embedder, _REMEMBERED, of_queries=True))

    def _known_embedder(self) -> int:
        if self._embedder_id is None:
            raise KnowledgeBaseError(
                f"{self._path} has no embedder yet", hint="open it with embedder=..."
            )
        return self._embedder_id

    def _agree_anew(self) -> None:
        """Look again who embedded the base: a writer may have been the first, or changed it."""
        before = self._embedder_id
        self._embedder_id = self._agree_on_embedder(self._embedder, known=before)
        if self._embedder_id != before:
            self._memory = self._remember(self._embedder)

    def _agree_on_embedder(
        self, embedder: Embedder | None, *, known: int | None = None
    ) -> int | None:
        """Check the embedder against the record, or record it where there is none.

        Args:
            embedder: None where none is used.
            known: The id of the record that it was checked against before.
        """
        with self._database.read() as connection:
            record = embedding_table.published_embedder(connection)
        if record is not None:
            if embedder is not None and record.id != known:
                check_embedder(record, embedder, self._path)
            return record.id
        if embedder is None or self._lock is None:
            return None
        probe = probe_vector(embedder)
        with self._database.write() as connection:
            embedder_id = embedding_table.register_embedder(connection, embedder.name, probe)
            embedding_table.publish_embedder(connection, embedder_id)
        return embedder_id


def reading(
    work: Callable[Concatenate[sqlite3.Connection, P], T],
) -> Callable[Concatenate[OpenRecords, P], T]:
    """Return the method of a base that reads its present state, published or not."""

    @wraps(work)
    def method(self: OpenRecords, /, *args: P.args, **options: P.kwargs) -> T:
        with self._database.read() as connection:
            return work(connection, *args, **options)

    return method


def iterating(
    work: Callable[Concatenate[sqlite3.Connection, P], Iterator[T]],
) -> Callable[Concatenate[OpenRecords, P], Iterator[T]]:
    """Return the method of a base that yields what it reads of one state, published or not."""

    @wraps(work)
    def method(self: OpenRecords, /, *args: P.args, **options: P.kwargs) -> Iterator[T]:
        with self._database.read() as connection:
            yield from work(connection, *args, **options)

    return method


def writing(
    work: Callable[Concatenate[sqlite3.Connection, P], T],
) -> Callable[Concatenate[OpenRecords, P], T]:
    """Return the method of a base that writes it; in a `transaction`, with other writes."""

    @wraps(work)
    def method(self: OpenRecords, /, *args: P.args, **options: P.kwargs) -> T:
        with self._database.write() as connection:
            return work(connection, *args, **options)

    return method
