"""The open knowledge base of a `Hoptrail`: with its embedder only when something needs vectors."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hoptrail.core.embedding import Embedder, RemoteEmbedder
from hoptrail.core.errors import ClosedError
from hoptrail.core.settings import Settings
from hoptrail.models.embedder import as_embedder, is_remote
from hoptrail.services.open_knowledge_bases import forget_knowledge_base, register_knowledge_base
from hoptrail.stores.knowledge_base import KnowledgeBase

_log = logging.getLogger(__name__)


class KnowledgeBaseHandle:
    """Opens a folder at once, loads the embedding model on first need, and registers the name.

    Args:
        path: The folder.
        name: Name under which the graphs of this process find it.
        settings: Embedder, models and prices.
        writable: Hold the writer's lock until `close`; else only while something is written.
        create: Make a missing or empty folder a new knowledge base.
        embedder: An embedder, or the name of one, that takes the place of the settings'.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        settings: Settings,
        *,
        writable: bool,
        create: bool,
        embedder: str | Embedder | None = None,
    ) -> None:
        self.path = path
        self._name = name
        self._settings = settings
        self._embedder = embedder or settings.embedder
        self._writable = writable
        self._lock = threading.RLock()
        self._is_embedded = False
        self._is_closed = False
        # Creating takes the writer's lock; it is kept only where the caller asked for it.
        self._kb = KnowledgeBase.open(path, writable=writable, create=create)
        if create and not writable:
            self._reopen(embedded=False)

    @property
    def embedder_name(self) -> str:
        """Name of the embedder, which need not be loaded."""
        return self._embedder if isinstance(self._embedder, str) else self._embedder.name

    @property
    def has_remote_embedder(self) -> bool:
        """Whether every call of the embedder takes time and may cost money; loads nothing."""
        if isinstance(self._embedder, str):
            return is_remote(self._embedder)
        return isinstance(self._embedder, RemoteEmbedder)

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._is_closed

    def require_open(self) -> None:
        """Make sure that `close` was not called.

        Raises:
            ClosedError: If it was.
        """
        if self._is_closed:
            raise ClosedError

    def plain(self) -> KnowledgeBase:
        """Return the knowledge base for what needs no question's vector.

        Raises:
            ClosedError: After `close`.
        """
        self.require_open()
        self._kb.refresh()
        return self._kb

    def embedded(self) -> KnowledgeBase:
        """Return the knowledge base with its embedder, at the newest generation.

        Raises:
            ClosedError: After `close`.
            EmbedderMismatchError: If it was embedded with another model.
        """
        with self._lock:
            self.require_open()
            if not self._is_embedded:
                self._reopen(embedded=True)
            self._kb.refresh()
            return self._kb

    @contextmanager
    def writing(self, embedder: Embedder | None = None) -> Iterator[KnowledgeBase]:
        """Yield the knowledge base open for writing.

        Args:
            embedder: The embedder to change to; the caller changes it.

        Raises:
            ClosedError: After `close`.
            KnowledgeBaseLockedError: If another process writes.
        """
        with self._lock:
            self.require_open()
            kept = self._writable
            self._writable = True
            try:
                self._reopen(embedded=embedder is None)
                yield self._kb
                self._embedder = embedder or self._embedder
            finally:
                self._writable = kept
                self._reopen(embedded=embedder is None)

    def close(self) -> None:
        """Close the knowledge base for good; a second call does nothing."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._release()

    def _release(self) -> None:
        forget_knowledge_base(self._name)
        self._kb.close()

    def _reopen(self, *, embedded: bool) -> None:
        self._release()
        model = as_embedder(self._embedder, self._settings) if embedded else None
        self._kb = KnowledgeBase.open(self.path, embedder=model, writable=self._writable)
        self._is_embedded = embedded
        _log.info("opened %s at generation %d", self.path, self._kb.generation)
        register_knowledge_base(self._name, self._kb, self._settings)
