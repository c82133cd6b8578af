"""Whole messages as the pieces in which a model would have streamed them.

What shows them is a chat model of LangChain, whose base class is slow to load, so this module is
imported in functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForLLMRun,
    CallbackManagerForLLMRun,
)
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult

_PIECES = re.compile(r"\s*\S+|\s+$")


class FinalAnswerStream(BaseChatModel):
    """Shows pieces of text as one chat model's reply, so that any LangChain tracer streams them.

    The model behind them runs tagged `nostream`; LangGraph's `messages` mode thus shows the answer
    and nothing else. One instance serves one call.

    Args:
        pieces: The text to show.
        message_id: Id of the message; the same id in a graph's state is then not shown twice.
    """

    pieces: Any
    message_id: str | None = None

    @property
    def _llm_type(self) -> str:
        return "hoptrail-final-answer"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise RuntimeError("a final answer is streamed asynchronously")

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        raise RuntimeError("a final answer is streamed asynchronously")

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        pieces: AsyncIterator[str] = self.pieces
        async for piece in pieces:
            yield self._chunk(piece)
        # Without it LangChain adds a last chunk under an id of its own.
        yield self._chunk("", chunk_position="last")

    def _chunk(self, text: str, **fields: Any) -> ChatGenerationChunk:
        message = AIMessageChunk(content=text, id=self.message_id, **fields)
        return ChatGenerationChunk(message=message)


def message_chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """Yield a message word by word; the last chunk carries calls, counts and metadata."""
    for piece in _PIECES.findall(message.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    calls = [
        tool_call_chunk(
            name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=index
        )
        for index, call in enumerate(message.tool_calls)
    ]
    last = AIMessageChunk(
        content="",
        tool_call_chunks=calls,
        usage_metadata=message.usage_metadata,
        response_metadata=message.response_metadata,
    )
    yield ChatGenerationChunk(message=last)
