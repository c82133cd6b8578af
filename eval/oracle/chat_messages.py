"""The oracle's replies as chat messages: text or tool calls, with usage."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call
from pydantic import BaseModel

from hoptrail.core.tokens import estimate_tokens


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


def _as_text_or_call(reply: str | BaseModel, options: Mapping[str, Any]) -> AIMessage:
    if isinstance(reply, str):
        return AIMessage(reply)
    tools = options.get("tools")
    if not tools:
        return AIMessage(reply.model_dump_json())
    name = tools[0]["function"]["name"]
    return AIMessage("", tool_calls=[tool_call(name=name, args=reply.model_dump(), id="oracle")])
