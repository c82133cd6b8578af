"""Backends: they write the replies of the server."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart


class Backend(Protocol):
    """A graph language model that answers many requests at once, as `GraphEngine` does."""

    @property
    def accepting(self) -> bool:
        """Whether new requests are taken."""
        ...

    @property
    def unfinished(self) -> int:
        """Requests that wait or run."""
        ...

    @property
    def running(self) -> int:
        """Those of them that are being written."""
        ...

    def astream(self, request: GenerationRequest) -> AsyncGenerator[ReplyPart]:
        """Yield the reply as it is written; closing the iterator ends the writing."""
        ...

    def stop_accepting(self) -> None:
        """Refuse new requests with ModelUnavailableError; the others go on."""
        ...

    def abandon(self) -> None:
        """Also end those that wait or run with ModelUnavailableError."""
        ...

    async def aclose(self) -> None:
        """Free what the backend holds."""
        ...
