"""Embedders with stored vectors: one that is held to a base's record, one that many bases share."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from hoptrail.core.embedding import Embedder, FloatArray, RemoteEmbedder, probe_vector, static_of
from hoptrail.core.errors import EmbedderMismatchError, KnowledgeBaseError
from hoptrail.stores.records.embedding_table import (
    EmbedderRecord,
    how_to_reembed,
    missing_texts,
    put_embeddings,
    register_embedder,
    stored_vectors,
)
from hoptrail.stores.records.schema import EMBEDDING_TABLES

_BUSY_SECONDS = 60.0


class VerifiedEmbedder(RemoteEmbedder):
    """Compares what a remote embedder sends with the record: opening a base calls nothing.

    Every vector's length is checked. Before the first passages, whose vectors will be stored, a
    fixed text is embedded too: another model under the same name is found by it.

    Args:
        embedder: Of the name that the record has.
        record: What the knowledge base knows of it.
        folder: Of the knowledge base, for messages.
    """

    def __init__(self, embedder: RemoteEmbedder, record: EmbedderRecord, folder: Path) -> None:
        self.is_symmetric = embedder.is_symmetric
        self._embedder = embedder
        self._record = record
        self._folder = folder
        self._is_probed = False

    @property
    def name(self) -> str:
        """The name of the model that embeds."""
        return self._record.name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._record.dim

    def embed_each(self, texts: Sequence[str]) -> Iterator[tuple[list[int], FloatArray]]:
        """Yield places of passages with their unit vectors, shape (len(places), dim), as they come.

        Raises:
            EmbedderMismatchError: If it gives other vectors than when the base was embedded.
        """
        if texts and not self._is_probed:
            probe = probe_vector(self._embedder)
            self._check(probe)
            if not self._record.is_same(self.name, probe):
                raise self._mismatch(f"{self.name!r} gives other vectors than when it was embedded")
            self._is_probed = True
        for places, vectors in self._embedder.embed_each(texts):
            self._check(vectors)
            yield places, vectors

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of texts to compare with others, shape (len(texts), dim)."""
        if not texts:
            return super().embed(texts)
        vectors = self._embedder.embed(texts)
        self._check(vectors)
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of questions, shape (len(texts), dim)."""
        vectors = self._embedder.embed_queries(texts)
        self._check(vectors)
        return vectors

    def _check(self, vectors: FloatArray) -> None:
        if vectors.shape[-1] != self.dim:
            told = f"its vectors have {self.dim} dimensions, {self.name!r} sends"
            raise self._mismatch(f"{told} {vectors.shape[-1]}")

    def _mismatch(self, problem: str) -> EmbedderMismatchError:
        hint = how_to_reembed(self._folder, self.name)
        return EmbedderMismatchError(f"{self._folder}: {problem}", hint=hint)


class SharedEmbeddings:
    """An `Embedder` that looks texts up in a file and embeds only those that are not there.

    Made for many small knowledge bases over the same names and predicates; any number of processes
    may use one file.

    Args:
        embedder: Embeds what is new.
        path: The file; it is made where it is missing.

    Raises:
        KnowledgeBaseError: If the file cannot be used.
    """

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._path = path
        self._lock = threading.Lock()
        probe = probe_vector(embedder)
        with closing(self._connect()) as connection, connection:
            for statement in EMBEDDING_TABLES.split(";"):
                connection.execute(statement)
            self._id = register_embedder(connection, embedder.name, probe)

    @property
    def name(self) -> str:
        """The name of the model that embeds."""
        return self._embedder.name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._embedder.dim

    @property
    def static(self) -> Embedder | None:
        """The embedder's static model; what that makes is not worth keeping."""
        return static_of(self._embedder)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32."""
        with self._lock, closing(self._connect()) as connection:
            new = missing_texts(connection, self._id, dict.fromkeys(texts))
            if new:
                vectors = self._embedder.embed(new)
                with connection:
                    put_embeddings(connection, self._id, new, vectors, exact=True)
            return stored_vectors(connection, self._id, texts)

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.DatabaseError as error:
            raise KnowledgeBaseError(
                f"{self._path} cannot be used: {error}",
                hint="name a file of shared embeddings, or one that is not there yet",
            ) from error
        return connection
