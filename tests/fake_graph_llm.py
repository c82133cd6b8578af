"""A client of a graph language model that replies from a script."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from hoptrail.models.graph_llm.client import ChatRequest
from hoptrail.models.graph_llm.generation import ReplyPart


def whole(text: str) -> tuple[ReplyPart, ...]:
    """Return a reply that comes in one piece."""
    return (ReplyPart(text, "stop", prompt_tokens=12, completion_tokens=4),)


class FakeGraphLlm:
    """Gives the replies in order, the last one for good, each then raises the error, if any.

    Args:
        replies: The parts of each.
        error: What breaks every reply.
    """

    def __init__(
        self, replies: Sequence[Sequence[ReplyPart]], error: Exception | None = None
    ) -> None:
        self.requests: list[ChatRequest] = []
        self._replies = replies
        self._error = error

    def prepare(self) -> None:
        pass

    async def astream(self, request: ChatRequest) -> AsyncIterator[ReplyPart]:
        self.requests.append(request)
        for part in self._replies[min(len(self.requests), len(self._replies)) - 1]:
            yield part
        if self._error is not None:
            raise self._error
