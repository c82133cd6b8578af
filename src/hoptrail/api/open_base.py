"""An open knowledge base: what the roles of `Hoptrail` share, and how it is closed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from hoptrail.api.conversations import Conversations, open_conversations
from hoptrail.core.background import BackgroundLoop
from hoptrail.core.document_filter import DocumentFilter
from hoptrail.core.embedding import Embedder, RemoteEmbedder
from hoptrail.core.errors import ClosedError, EmbedderMismatchError, SettingsError
from hoptrail.core.filter_text import FilterForm, parse_filter
from hoptrail.core.progress import Progress
from hoptrail.core.settings import ServedBase, Settings
from hoptrail.core.types import JsonDict
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import resolve_preset
from hoptrail.models.embedder import as_embedder, is_remote
from hoptrail.services.open_knowledge_bases import forget_knowledge_base, register_knowledge_base
from hoptrail.services.serving_stores import (
    StoreReport,
    look_at_stores,
    open_source,
    publish_to_stores,
)
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.records.folder import holds_database, remove_if_empty


class OpenBase:
    """A knowledge base that is open, with the choices that hold for it; see `Hoptrail`."""

    def __init__(self, handle: KnowledgeBaseHandle, settings: Settings, defaults: Context) -> None:
        self._handle = handle
        self._settings = settings
        self._defaults = defaults
        self._background: BackgroundLoop | None = None
        self._opening = threading.Lock()

    @property
    def knowledge_base(self) -> KnowledgeBase:
        """The open store with its embedder, for code that needs more than this class offers."""
        return self._handle.embedded()

    @property
    def stored(self) -> KnowledgeBase:
        """The open store without its embedder, which need not be loaded: no vector search."""
        return self._handle.plain()

    def close(self) -> None:
        """Close the knowledge base; a second call does nothing.

        A question that is being answered in another thread ends with a `ClosedError`, as any use
        does from then on.
        """
        with self._opening:
            if self._background is not None:
                self._background.close()
            self._handle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def _loop(self) -> BackgroundLoop:
        with self._opening:
            self._handle.require_open()
            if self._background is None:
                self._background = BackgroundLoop()
            return self._background

    @contextmanager
    def _told_if_closed(self) -> Iterator[None]:
        """Say that the knowledge base was closed where something breaks on that."""
        try:
            yield
        except Exception as error:
            if self._handle.is_closed and not isinstance(error, ClosedError):
                raise ClosedError from error
            raise

    @cached_property
    def _conversations(self) -> Conversations:
        name = self._handle.plain().name
        return open_conversations(self._settings, self._handle.path, name)

    def _filter(self, given: FilterForm | None) -> DocumentFilter | None:
        return self._defaults.document_filter if given is None else parse_filter(given)

    def _allowed(self, wanted: DocumentFilter | None) -> KnowledgeSource:
        return self._handle.source() if wanted is None else self._filtered(wanted)

    def _filtered(self, wanted: DocumentFilter) -> KnowledgeBase:
        from hoptrail.services.filtered_bases import filtered_base

        return filtered_base(self._handle.embedded(), wanted).store

    def _seen(self, given: FilterForm | None) -> KnowledgeBase:
        """Return what a reader sees under a filter; without one, no embedder is loaded."""
        wanted = self._filter(given)
        return self._handle.plain() if wanted is None else self._filtered(wanted)

    def _context(self, choices: JsonDict) -> Context:
        self._handle.source()
        context = checked_context(choices, self._defaults)
        chosen = (context.model, context.reranker, *context.models.values())
        self._handle.allowed_models.update(filter(None, chosen))
        return context


class KnowledgeBaseHandle:
    """Opens a folder at once, loads the embedding model on first need, and registers the name.

    Args:
        served: The folder, and the servers that questions are answered from where there are any.
        name: Name under which the graphs of this process find it.
        base: Its name in the settings, and on the server.
        settings: Embedder, models and prices.
        writable: Hold the writer's lock until `close`; else only while something is written.
        create: Make a missing or empty folder a new knowledge base.
        embedder: An embedder, or the name of one, that takes the place of the settings'.
    """

    def __init__(
        self,
        served: ServedBase,
        name: str,
        base: str,
        settings: Settings,
        *,
        writable: bool,
        create: bool,
        embedder: str | Embedder | None = None,
    ) -> None:
        self.path = served.records
        self._served = served
        self._name = name
        self._base = base
        self._settings = settings
        self._embedder = embedder or settings.embedder
        self._writable = writable
        self._loading = threading.RLock()  # of the embedder, and of what is open at servers
        self._writing = threading.RLock()  # one thread writes at a time, and no question waits
        self._is_embedded = False
        self._is_closed = False
        self._connections = ExitStack()
        self._source: KnowledgeSource | None = None
        self._next_embedder: Embedder | None = None  # while one is changed to
        self.publications: list[StoreReport] = []
        self.allowed_models: set[str] = set()  # that questions may name, beside the settings'
        self._is_new = create and not holds_database(self.path)
        self._made_folder = self._is_new and not self.path.exists()
        self._has_failed = False
        self._kb = KnowledgeBase.open(self.path, writable=writable, create=create)
        if create and not writable:  # making it took the writer's lock
            self._kb.close()
            self._kb = KnowledgeBase.open(self.path)
        self._register()

    @property
    def embedder_name(self) -> str:
        """Name of the embedder, which need not be loaded."""
        return self._embedder if isinstance(self._embedder, str) else self._embedder.name

    @property
    def embedder_to_open(self) -> str | None:
        """Name by which another process opens the embedder, None for an object of this one."""
        return self._embedder if isinstance(self._embedder, str) else None

    @property
    def has_remote_embedder(self) -> bool:
        """Whether every call of the embedder takes time and may cost money; loads nothing."""
        if isinstance(self._embedder, str):
            return is_remote(self._embedder)
        return isinstance(self._embedder, RemoteEmbedder)

    @property
    def is_served(self) -> bool:
        """Whether servers have a part in answering questions."""
        return self._served.is_served

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
        self._refresh()
        return self._kb

    def embedded(self) -> KnowledgeBase:
        """Return the knowledge base with its embedder, at the newest generation.

        Raises:
            ClosedError: After `close`.
            EmbedderMismatchError: If it was embedded with another model.
        """
        with self._loading:
            self.require_open()
            if not self._is_embedded:
                self._kb.use_embedder(as_embedder(self._embedder, self._settings))
                self._is_embedded = True
        return self.plain()

    def source(self) -> KnowledgeSource:
        """Return what questions are answered from: the servers of the base, else its folder.

        Raises:
            ClosedError: After `close`.
            EmbedderMismatchError: If it was embedded with another model.
            StoreError: If its server cannot be asked, or was never told of it.
        """
        kb = self.embedded()
        if not self._served.is_served:
            return kb
        with self._loading:
            if self._source is None:
                self._source, self._connections = open_source(kb, self._base, self._served)
                self._register()
            return self._source

    def stores(self) -> list[StoreReport]:
        """Return what each server of the base holds, and whether it is in step with the folder.

        Raises:
            ClosedError: After `close`.
        """
        return look_at_stores(self.plain(), self._base, self._served)

    def publish(self, progress: Progress | None = None) -> list[StoreReport]:
        """Bring each server of the base in step with the folder.

        Raises:
            ClosedError: After `close`.
            KnowledgeBaseLockedError: If another process writes.
            SettingsError: If the base has no server.
        """
        if not self._served.is_served:
            raise SettingsError(
                f"{self._base} has no server to publish to",
                hint=f"name one in hoptrail.toml: [knowledge_bases.{Path(self._base).name}] "
                'records = "FOLDER", graph = "neo4j://HOST:7687" or vectors = "http://HOST:19530"',
            )
        with self.writing(progress=progress):
            pass
        return self.publications

    @contextmanager
    def writing(
        self, embedder: Embedder | None = None, *, progress: Progress | None = None
    ) -> Iterator[KnowledgeBase]:
        """Yield the knowledge base open for writing, and bring its servers in step afterwards.

        Questions are answered meanwhile, and what was handed out stays usable. Of a server that
        fails `publications` tells; what was written stays.

        Args:
            embedder: The embedder to change to; the caller changes it.
            progress: Told how much is published.

        Raises:
            ClosedError: After `close`.
            KnowledgeBaseLockedError: If another process writes.
        """
        with self._writing:
            self.require_open()
            self._next_embedder = embedder
            try:
                with self._open_writer(embedder) as kb:
                    yield kb
                    if embedder is not None:
                        self._change_embedder(embedder)
                    self.publications = publish_to_stores(kb, self._base, self._served, progress)
                self._refresh()
            except BaseException:
                self._has_failed = True
                raise
            finally:
                self._next_embedder = None

    def close(self) -> None:
        """Close the knowledge base for good; a second call does nothing.

        A new one into which nothing could be written is removed again.
        """
        with self._writing, self._loading:
            if not self._is_closed:
                self._is_closed = True
                forget_knowledge_base(self._name)
                self._connections.close()
                self._kb.close()
                if self._is_new and self._has_failed:
                    remove_if_empty(self.path, with_folder=self._made_folder)

    @contextmanager
    def _open_writer(self, embedder: Embedder | None) -> Iterator[KnowledgeBase]:
        """Give the base to write: another one than questions read, unless that holds the lock."""
        if self._writable:
            yield self._kb if embedder is not None else self.embedded()
            return
        model = None if embedder is not None else as_embedder(self._embedder, self._settings)
        with KnowledgeBase.open(self.path, embedder=model, writable=True) as kb:
            yield kb

    def _change_embedder(self, embedder: Embedder) -> None:
        with self._loading:
            self._embedder = embedder
            self._kb.use_embedder(embedder)
            self._is_embedded = True
            self._source = None  # it asks its server for vectors of the former one
            self._connections.close()
            self._register()

    def _refresh(self) -> None:
        try:
            self._kb.refresh()
        except EmbedderMismatchError:
            if self._next_embedder is None:
                raise
            # What another thread writes is published already, and it goes on to its servers.
            self._kb.use_embedder(self._next_embedder)

    def _register(self) -> None:
        register_knowledge_base(
            self._name, self._kb, self._settings, self._source, self.allowed_models
        )


def checked_context(given: Mapping[str, Any], defaults: Context | None = None) -> Context:
    """Return a validated context whose preset exists.

    Raises:
        UnknownNameError: If a field or the preset does not exist.
        SettingsError: If a value cannot be used.
        PluginError: If an installed package adds the preset and it cannot be used.
    """
    context = resolve_context(given, defaults)
    if context.preset != "auto":
        resolve_preset(context.preset, has_model=True)
    return context
