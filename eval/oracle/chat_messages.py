"""The oracle's replies as chat messages: text or tool calls, whole or in pieces, with usage."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call, tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk
from pydantic import BaseModel

from hoptrail.core.tokens import estimate_tokens

_PIECES = re.compile(r"\s*\S+|\s+$")


def as_message(
    reply: str | BaseModel, prompt: Sequence[BaseMessage], options: Mapping[str, Any]
) -> AIMessage:
    """Return a reply as a message with token usage by `estimate_tokens`.

    Args:
        reply: A text, or an object: a call of the bound tool if there is one, else JSON text.
        prompt: What was sent.
        options: The call's options, bound tools among them.
    """
    message = _as_text_or_call(reply, options)
    sent = sum(estimate_tokens(part.text) for part in prompt)
    written = estimate_tokens(message.text or json.dumps(message.tool_calls))
    message.usage_metadata = UsageMetadata(
        input_tokens=sent, output_tokens=written, total_tokens=sent + written
    )
    return message


def as_chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """Yield a message word by word; the last chunk carries tool calls and usage."""
    for piece in _PIECES.findall(message.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    calls = [
        tool_call_chunk(
            name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=place
        )
        for place, call in enumerate(message.tool_calls)
    ]
    last = AIMessageChunk(content="", tool_call_chunks=calls, usage_metadata=message.usage_metadata)
    yield ChatGenerationChunk(message=last)


def _as_text_or_call(reply: str | BaseModel, options: Mapping[str, Any]) -> AIMessage:
    if isinstance(reply, str):
        return AIMessage(reply)
    tools = options.get("tools")
    if not tools:
        return AIMessage(reply.model_dump_json())
    name = tools[0]["function"]["name"]
    return AIMessage("", tool_calls=[tool_call(name=name, args=reply.model_dump(), id="oracle")])
