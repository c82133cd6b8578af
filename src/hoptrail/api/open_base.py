"""An open knowledge base: what the roles of `Hoptrail` share, and how it is closed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hoptrail.api.checked_context import checked_context
from hoptrail.api.conversations import Conversations, open_conversations
from hoptrail.api.handle import KnowledgeBaseHandle
from hoptrail.core.background import BackgroundLoop
from hoptrail.core.document_filter import DocumentFilter
from hoptrail.core.errors import ClosedError
from hoptrail.core.filter_text import FilterForm, parse_filter
from hoptrail.core.settings import Settings
from hoptrail.core.types import JsonDict
from hoptrail.graphs.context import Context
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource

if TYPE_CHECKING:
    pass


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        from hoptrail.services.request_services import allow_models

        self._handle.source()
        context = checked_context(choices, self._defaults)
        allow_models(*filter(None, (context.model, context.reranker, *context.models.values())))
        return context
