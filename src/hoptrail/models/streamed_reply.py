"""One try of a reply that arrives in pieces: gathered, followed, and its final answer shown."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from hoptrail.core.progress import Follow, ReplyProgress
from hoptrail.core.reply_conventions import (
    FINAL_MARKER,
    FINAL_PATTERN,
    LONGEST_ANSWER,
    is_abstention,
)
from hoptrail.models.caller import Heard
from hoptrail.models.failures import DroppedStreamError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import RunnableConfig

UNSEEN: RunnableConfig = {"tags": ["nostream"]}
TOKENS_READ = "tokens_read"
"""Key in the metadata of a piece of a reply: how much of the prompt has been read so far."""

# These servers end every complete reply with a finish reason.
_SAYS_WHY_IT_ENDS = frozenset({"openai", "groq"})
# Longer than any common way to say "I don't know".
_HELD_BACK = 48
_STEPS = 128
_OVERLAP = 2 * len(FINAL_MARKER)
_DECORATION = ' \t*_`"“”'

Present = Callable[[str, bool], str]
"""From the text after the marker so far, and whether it is all, to what can be shown of it.

What it returns for a text must begin with what it returned for any beginning of that text.
"""


def first_line(text: str, complete: bool) -> str:
    """Return the first line with text, without Markdown decoration, once it is long enough."""
    line, line_end, _ = text.lstrip(_DECORATION + "\n").partition("\n")
    # What may turn out to be decoration at the end of the line waits for what follows it.
    answer = line.rstrip(_DECORATION + "\r")
    return answer if len(answer) >= _HELD_BACK or complete or line_end else ""


class FinalAnswerSplitter:
    """Cuts the answer after a marker out of a reply that arrives in pieces.

    Nothing is given out until it is clear that the answer is no abstention. A leading `<think>`
    part is skipped.

    Args:
        withhold: Whether the beginning of an answer is an abstention.
        present: What of the text after the marker is the answer.
    """

    def __init__(
        self,
        withhold: Callable[[str], bool] = is_abstention,
        present: Present = first_line,
    ) -> None:
        self._withhold = withhold
        self._present = present
        self._text = ""
        self._answer_begun = False
        self._given = 0
        self._looked_at = 0

    def feed(self, piece: str, *, complete: bool = False) -> str:
        """Take the next piece of the reply; return what may now be shown, often nothing.

        Args:
            piece: What the reply goes on with.
            complete: Whether nothing will follow.
        """
        self._text += piece
        if not self._answer_begun:
            self._find_marker()
        if not self._answer_begun or not self._is_due(complete):
            return ""
        answer = self._present(self._text, complete)
        if self._given == 0 and self._withhold(answer[:LONGEST_ANSWER]):
            return ""
        shown, self._given = self._given, max(self._given, len(answer))
        return answer[shown:]

    def _is_due(self, complete: bool) -> bool:
        """Return whether to look at the answer again: after each piece of a long one takes ages."""
        is_due = complete or len(self._text) - self._looked_at > len(self._text) // _STEPS
        if is_due:
            self._looked_at = len(self._text)
        return is_due

    def _find_marker(self) -> None:
        """Drop what lies before the answer, but for the beginning of what may be a marker."""
        if self._text.lstrip().startswith("<think>"):
            _, end, rest = self._text.partition("</think>")
            if not end:
                return
            self._text = rest
        found = FINAL_PATTERN.search(self._text)
        if found is not None:
            self._text = self._text[found.end() :]
            self._answer_begun = True
        else:
            self._text = self._text[-_OVERLAP:]


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
    from hoptrail.models.message_pieces import FinalAnswerStream

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
