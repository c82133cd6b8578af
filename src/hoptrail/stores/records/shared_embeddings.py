"""Vectors of texts that several knowledge bases have in common, in a file of their own."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from hoptrail.core.embedding import Embedder, FloatArray, probe_vector, static_of
from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.stores.records.embedding_table import (
    missing_texts,
    put_embeddings,
    register_embedder,
    stored_vectors,
)
from hoptrail.stores.records.schema import EMBEDDING_TABLES

_BUSY_SECONDS = 60.0


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
