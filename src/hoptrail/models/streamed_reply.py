"""One try of a reply whose final answer is shown while it is being written."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import RunnableConfig

from hoptrail.models.failures import DroppedStreamError
from hoptrail.models.final_answer import FinalAnswerSplitter, FinalAnswerStream

UNSEEN: RunnableConfig = {"tags": ["nostream"]}

# These servers end every complete reply with a finish reason.
_SAYS_WHY_IT_ENDS = frozenset({"openai", "groq"})


class StreamedReply:
    """Reads a reply and shows its final answer as a message of its own.

    Args:
        splitter: Finds the final answer.
        message_id: Id of the message that is shown.
    """

    def __init__(self, splitter: FinalAnswerSplitter, message_id: str | None) -> None:
        self.shown = False
        self._splitter = splitter
        self._message_id = message_id
        self._chunks: list[AIMessageChunk] = []

    @property
    def message(self) -> AIMessage | None:
        """The whole reply as far as it arrived, None if nothing did."""
        if not self._chunks:
            return None
        first, *others = self._chunks
        return first + others if others else first

    async def read(self, model: BaseChatModel, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return the whole reply after showing its final answer, unless that is an abstention.

        Raises:
            DroppedStreamError: If the stream ends early.
        """
        async with aclosing(self._answer_pieces(model, messages)) as pieces:
            first = await anext(pieces, None)
            if first is not None:
                self.shown = True
                await _show(first, pieces, self._message_id)
        message = self.message
        if message is None or _ended_early(message):
            raise DroppedStreamError("the reply's stream ended early")
        return message

    async def _answer_pieces(
        self, model: BaseChatModel, messages: Sequence[BaseMessage]
    ) -> AsyncGenerator[str, None]:
        async for chunk in model.astream(list(messages), config=UNSEEN):
            self._chunks.append(chunk)
            if piece := self._splitter.feed(chunk.text):
                yield piece
        if piece := self._splitter.feed("", complete=True):
            yield piece


async def _show(first: str, others: AsyncIterator[str], message_id: str | None) -> None:
    async def pieces() -> AsyncIterator[str]:
        yield first
        async for piece in others:
            yield piece

    async for _ in FinalAnswerStream(pieces=pieces(), message_id=message_id).astream([]):
        pass


def _ended_early(message: AIMessage) -> bool:
    metadata = message.response_metadata
    says_why = metadata.get("model_provider") in _SAYS_WHY_IT_ENDS
    return says_why and not metadata.get("finish_reason")
