"""The embedded knowledge base: one folder that is opened, written, published and read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TextIO

from hoptrail.core.embedding import Embedder, FloatArray, probe_vector, static_of
from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.core.types import JsonDict
from hoptrail.stores import exporting
from hoptrail.stores.change_records import ChangeRecords
from hoptrail.stores.content_records import CommunityRecords, DocumentRecords, GraphRecords
from hoptrail.stores.exporting import ExportFormat
from hoptrail.stores.open_records import reading
from hoptrail.stores.records import (
    change_table,
    embedding_table,
    graph_decisions,
    information,
    tables,
)
from hoptrail.stores.records.copies import ShardTaker, private_copy, take_in_base, take_over_results
from hoptrail.stores.records.database import Database
from hoptrail.stores.records.folder import WriterLock, prepare_folder
from hoptrail.stores.snapshot.item_texts import texts_without_vectors, told_relations
from hoptrail.stores.snapshot.publishing import publish_snapshot


class KnowledgeBase(DocumentRecords, GraphRecords, CommunityRecords, ChangeRecords):
    """One folder: SQLite holds the truth, arrays beside it each published generation.

    Readers may be many, in any thread and process; there is one writer. What is written is seen in
    `index`, `lexicon` and `vectors` once it is published. Use `open`, and close it (or use `with`).
    """

    ledger = reading(information.ledger)
    schema = reading(graph_decisions.read_schema)
    edited_schema = reading(graph_decisions.read_edited_schema)
    told_relations = reading(told_relations)

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

    def counts(self) -> dict[str, int]:
        """Return the number of documents, chunks, extractions, entities, relations and merges."""
        with self._database.read() as connection:
            return information.counts(connection, self._published_counts(connection))

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

    def texts_without_vectors(self, *, read: bool = True) -> list[str]:
        """Return each text that still needs a vector once, in a stable order.

        These are the passages, their sentences, and the texts of entities, relations and reports.

        Args:
            read: Whether to look at what was read in passages too: sentences, names and relations.
        """
        with self._database.read() as connection:
            return texts_without_vectors(connection, self._embedder_id, read=read)

    def texts_without_vectors_of(self, embedder: str) -> list[str]:
        """Return each text once that no embedder of this name gave a vector, in a stable order."""
        with self._database.read() as connection:
            embedder_id = embedding_table.newest_of_name(connection, embedder)
            return texts_without_vectors(connection, embedder_id)

    def put_embeddings(self, texts: Sequence[str], vectors: FloatArray) -> None:
        """Store the unit vectors of these texts, shape (len(texts), dim).

        Raises:
            KnowledgeBaseError: If the shape is wrong, or the base has no embedder yet.
        """
        with self._database.write() as connection:
            had_vectors = embedding_table.put_embeddings(
                connection, self._known_embedder(), texts, vectors
            )
            if had_vectors or not change_table.listed_only(connection):
                tables.mark_changed(connection)

    @property
    def static_model(self) -> str | None:
        """Name of the static model that made published vectors of names, relations and sentences.

        None where the embedder itself made all, and in a base of a version that did not note it.
        """
        with self._database.read() as connection:
            return embedding_table.noted_static(connection, self._embedder_id)

    def make_static_vectors_anew(self) -> None:
        """Let the next publication make all static vectors anew, by the present model."""
        with self._database.write() as connection:
            tables.mark_changed(connection)

    def change_embedder(self, embedder: Embedder) -> None:
        """Embed with another model from now on; readers see its vectors once it is published."""
        probe = probe_vector(embedder)
        with self._database.write() as connection:
            self._embedder_id = embedding_table.register_embedder(connection, embedder.name, probe)
        self._embedder = embedder
        self._memory = self._remember(embedder)

    def _published_counts(self, connection: sqlite3.Connection) -> dict[str, int]:
        """Return what the arrays tell about tables that are slow to count; {} where they differ."""
        if tables.is_changed(connection):
            return {}
        lengths = self._cache.lengths(tables.generation(connection))
        names = {"chunks": "chunk_ids", "entities": "entity_ids", "relations": "relation_ids"}
        return {table: lengths[name] for table, name in names.items() if name in lengths}
