"""The embedded knowledge base: one folder that is opened, written, published and read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TextIO

from hoptrail.core.embedding import Embedder, static_of
from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.core.types import (
    JsonDict,
)
from hoptrail.stores import exporting
from hoptrail.stores.base.community_records import CommunityRecords
from hoptrail.stores.base.document_records import DocumentRecords
from hoptrail.stores.base.graph_records import GraphRecords
from hoptrail.stores.base.scan_records import ScanRecords
from hoptrail.stores.base.vector_records import VectorRecords
from hoptrail.stores.exporting import ExportFormat
from hoptrail.stores.records import change_table, graph_decisions, information, meta_table
from hoptrail.stores.records.copies import private_copy
from hoptrail.stores.records.database import Database
from hoptrail.stores.records.folder import WriterLock, prepare_folder
from hoptrail.stores.records.information import LedgerRow
from hoptrail.stores.records.taking_in import ShardTaker, take_in_base, take_over_results
from hoptrail.stores.snapshot.publishing import publish_snapshot


class KnowledgeBase(DocumentRecords, GraphRecords, CommunityRecords, VectorRecords, ScanRecords):
    """One folder: SQLite holds the truth, arrays beside it each published generation.

    Readers may be many, in any thread and process; there is one writer. What is written is seen in
    `index`, `lexicon` and `vectors` once it is published. Use `open`, and close it (or use `with`).
    """

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embedder: Embedder | None = None,
        writable: bool = False,
        create: bool = False,
    ) -> Self:
        """Open a knowledge base.

        Args:
            path: Its folder.
            embedder: Turns questions into vectors; must be the one that embedded the base.
            writable: Take the writer's lock.
            create: Make a missing or empty folder a new base; implies `writable`.

        Raises:
            NotAKnowledgeBaseError: If there is none and `create` is not given.
            FormatVersionError: If a newer Hoptrail wrote it.
            KnowledgeBaseLockedError: If it is to be written and another process does so.
            EmbedderMismatchError: If it was embedded with another model.
            KnowledgeBaseError: If its file is damaged.
        """
        folder = Path(path)
        prepare_folder(folder, create=create)
        lock = WriterLock(folder) if writable or create else None
        database: Database | None = None
        try:
            database = Database(folder, writable=lock is not None, create=create)
            return cls(folder, database, lock, embedder)
        except BaseException:
            if database is not None:
                database.close()
            if lock is not None:
                lock.release()
            raise

    def export(self, target: str | Path | TextIO, format: ExportFormat | None = None) -> list[Path]:
        """Write everything that was indexed in canonical order, as `hoptrail export` does.

        Args:
            target: A file, or an open text stream.
            format: `jsonl`, `graphml` or `csv`; a file's ending tells it otherwise. JSONL holds
                documents, chunks, mentions, entities, relations and merges, the others the graph.
                CSV is the table of relations, with `<stem>_entities.csv` beside a file.

        Returns:
            The files that were written.

        Raises:
            InputError: If the format is not known or the file cannot be written.
        """
        with self._database.read() as connection:
            return exporting.export(connection, target, format)

    @contextmanager
    def private_copy(self) -> Iterator[Self]:
        """Give a writable copy of the present state, which is gone afterwards.

        It takes no lock of the original and has no vectors of texts.
        """
        with (
            private_copy(self._database, self._path) as folder,
            type(self).open(folder, writable=True) as copy,
        ):
            yield copy

    def info(self, *, documents: bool = False) -> JsonDict:
        """Return what `hoptrail info --json` prints; `documents` adds the ledger."""
        with self._database.read() as connection:
            counts = information.counts(connection, self._published_counts(connection))
            told = information.info(connection, counts, documents=documents)
        return {"name": self.name, **told}

    def publish(self) -> int:
        """Make the present state the next generation and return its number.

        Embeddings that no text needs any more are deleted. A state that is already published keeps
        its number. Within a `transaction`, readers see it when that ends.
        """
        static = None if self._embedder is None else static_of(self._embedder)
        if self._embedder is None and self.static_model and not self.is_published:
            raise KnowledgeBaseError(
                f"{self._path}: its embedder has to make vectors of what was read",
                hint="open it with embedder=...",
            )
        number = publish_snapshot(self._database, self._cache, self._embedder_id, static)
        self.refresh()
        return number

    @property
    def changes_tracked_since(self) -> int:
        """The generation from which on it is known what changed; tracking has begun."""
        with self._database.read() as connection:
            return change_table.tracked_since(connection)

    def track_changes(self) -> None:
        """Note from now on which items change, for servers that are told of changes alone."""
        with self._database.write() as connection:
            change_table.start_tracking(connection)

    def forget_changes(self, until: int) -> None:
        """Forget what changed up to a generation that every server shows."""
        with self._database.write() as connection:
            change_table.forget_changes(connection, until)

    def take_in(self, other: KnowledgeBase) -> dict[str, str]:
        """Add the documents of another base with what was read in them, all or nothing.

        The graph is to be derived, and to be published, by others.

        Returns:
            "added" or "unchanged" for each document of the other base, by id.

        Raises:
            InputError: If both have a document of one id with other content.
        """
        with other._database.read() as source, self._database.write() as target:
            return take_in_base(source, target)

    def take_in_shard(self, shard: KnowledgeBase, taker: ShardTaker) -> None:
        """Store the documents of a shard as an index run does, with what was read in them.

        All or nothing; a second time changes nothing. The graph is to be derived, and to be
        published, by others.
        """
        with shard._database.read() as source, self._database.write() as target:
            taker.take(source, target)

    def take_over_results(self, other: KnowledgeBase) -> None:
        """Copy what another base has of the same passages: what was read, and their vectors."""
        with other._database.read() as source, self._database.write() as target:
            take_over_results(source, target)

    def ledger(self) -> list[LedgerRow]:
        """Return what was done and spent, one row per document."""
        with self._database.read() as connection:
            return information.ledger(connection)

    def counts(self) -> dict[str, int]:
        """Return the number of documents, chunks, extractions, entities, relations and merges."""
        with self._database.read() as connection:
            return information.counts(connection, self._published_counts(connection))

    def schema(self) -> dict[str, str]:
        """Return the definition of each entity type: as last put, else as the data suggest."""
        with self._database.read() as connection:
            return graph_decisions.read_schema(connection)

    def edited_schema(self) -> dict[str, str]:
        """Return the entity types as last put, none where they are only proposed."""
        with self._database.read() as connection:
            return graph_decisions.read_edited_schema(connection)

    def put_schema(self, definitions: Mapping[str, str]) -> None:
        """Set the entity types with their definitions; none at all brings back the proposal."""
        with self._database.write() as connection:
            graph_decisions.write_schema(connection, "edited", definitions)

    @property
    def description(self) -> str:
        """The graph's subject in words: as last put, else as the data suggest."""
        with self._database.read() as connection:
            return graph_decisions.read_description(connection)

    def put_description(self, text: str) -> None:
        """Set what the graph is about; an empty text brings back the proposal."""
        with self._database.write() as connection:
            graph_decisions.write_description(connection, "edited", text.strip())

    def _published_counts(self, connection: sqlite3.Connection) -> dict[str, int]:
        """Return what the arrays tell about tables that are slow to count; {} where they differ."""
        if meta_table.is_changed(connection):
            return {}
        snapshot = self._cache.load(meta_table.generation(connection))
        if snapshot is None:
            return {}
        index = snapshot.index
        return {
            "chunks": len(index.chunk_ids),
            "entities": len(index.entity_ids),
            "relations": len(index.relation_ids),
        }
