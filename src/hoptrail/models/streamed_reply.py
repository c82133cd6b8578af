"""One try of a reply that arrives in pieces: gathered, followed, and its final answer shown."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from hoptrail.core.progress import Follow, ReplyProgress
from hoptrail.models.caller import Heard
from hoptrail.models.failures import DroppedStreamError
from hoptrail.models.final_answer import FinalAnswerSplitter

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import RunnableConfig

UNSEEN: RunnableConfig = {"tags": ["nostream"]}
TOKENS_READ = "tokens_read"
"""Key in the metadata of a piece of a reply: how much of the prompt has been read so far."""

# These servers end every complete reply with a finish reason.
_SAYS_WHY_IT_ENDS = frozenset({"openai", "groq"})


class StreamedReply:
    """Gathers the pieces of a reply.

    Args:
        follow: Told of each piece.
    """

    def __init__(self, follow: Follow | None = None) -> None:
        self.shown = False
        self._follow = follow
        self._chunks: list[AIMessageChunk] = []
        self._text = ""

    @property
    def message(self) -> AIMessage | None:
        """The whole reply as far as it arrived, None if nothing did."""
        if not self._chunks:
            return None
        first, *others = self._chunks
        return first + others if others else first

    async def read(
        self, model: BaseChatModel, messages: Sequence[BaseMessage], heard: Heard
    ) -> AIMessage:
        """Return the whole reply.

        Args:
            model: Writes it.
            messages: The prompt.
            heard: Called at each sign of life, with whether there are words yet.

        Raises:
            DroppedStreamError: If the stream ends early.
        """
        async with aclosing(self._texts(model, messages, heard)) as texts:
            async for _ in texts:
                pass
        return self._whole()

    async def _texts(
        self, model: BaseChatModel, messages: Sequence[BaseMessage], heard: Heard
    ) -> AsyncGenerator[str, None]:
        async for chunk in model.astream(list(messages), config=UNSEEN):
            heard(bool(self._text or chunk.text))
            # Pieces are added up, which is no way to count.
            read = chunk.response_metadata.pop(TOKENS_READ, None)
            self._chunks.append(chunk)
            self._text += chunk.text
            if self._follow is not None and (chunk.text or read is not None):
                self._follow(ReplyProgress(self._text, read))
            yield chunk.text

    def _whole(self) -> AIMessage:
        message = self.message
        if message is None or _ended_early(message):
            raise DroppedStreamError("the reply's stream ended early")
        return message


class ShownReply(StreamedReply):
    """Shows the final answer of a reply as a message of its own, unless that is an abstention.

    Args:
        splitter: Finds the final answer.
        message_id: Id of the message that is shown.
    """

    def __init__(self, splitter: FinalAnswerSplitter, message_id: str | None) -> None:
        super().__init__()
        self._splitter = splitter
        self._message_id = message_id

    async def read(
        self, model: BaseChatModel, messages: Sequence[BaseMessage], heard: Heard
    ) -> AIMessage:
        """Return the whole reply after showing its final answer.

        Raises:
            DroppedStreamError: If the stream ends early.
        """
        async with aclosing(self._answer_pieces(model, messages, heard)) as pieces:
            first = await anext(pieces, None)
            if first is not None:
                self.shown = True
                await _show(first, pieces, self._message_id)
        return self._whole()

    async def _answer_pieces(
        self, model: BaseChatModel, messages: Sequence[BaseMessage], heard: Heard
    ) -> AsyncGenerator[str, None]:
        async with aclosing(self._texts(model, messages, heard)) as texts:
            async for text in texts:
                if piece := self._splitter.feed(text):
                    yield piece
        if piece := self._splitter.feed("", complete=True):
            yield piece


async def _show(first: str, others: AsyncIterator[str], message_id: str | None) -> None:
    from hoptrail.models.final_answer_stream import FinalAnswerStream

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
