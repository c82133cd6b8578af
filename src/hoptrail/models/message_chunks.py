"""A whole message as the pieces in which a model would have streamed it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk

_PIECES = re.compile(r"\s*\S+|\s+$")


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
