"""Measures a model call: tokens as the server counted them, else estimated, and their price."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from hoptrail.core.settings import Price
from hoptrail.core.tokens import TokenCounter
from hoptrail.core.types import NodeUsage

# How far a believable count may be from the estimate; tool schemas and graph tokens are not in it.
_ESTIMATE_TOO_HIGH = 8
_ESTIMATE_TOO_LOW = 8
_UNSEEN_PROMPT = 20_000
_LONGEST_COMPLETION = 1_000_000


def measure_call(
    prompt: Sequence[BaseMessage],
    reply: AIMessage | None,
    *,
    price: Price | None,
    count: TokenCounter,
) -> tuple[NodeUsage, bool]:
    """Return what a call spent, and whether the server's own count was believed where it gave one.

    The call itself is not in it: that is counted when it begins.

    Args:
        prompt: The messages sent.
        reply: The reply as far as it arrived; None where the server may have worked in vain.
        price: Dollars per million tokens; None where it is not known.
        count: Token counter for what the server did not count, or cannot have counted.
    """
    prompt_tokens = sum(count(message.text) for message in prompt)
    completion_tokens = count(_written(reply)) if reply is not None else 0
    said = _said(reply)
    is_believed = said is None or _can_be(said, (prompt_tokens, completion_tokens))
    if said is not None and is_believed:
        prompt_tokens, completion_tokens = said
    usage = NodeUsage(
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        usd=price.usd(prompt_tokens, completion_tokens) if price else 0.0,
        unpriced_calls=0 if price else 1,
    )
    return usage, is_believed


def _said(reply: AIMessage | None) -> tuple[Any, Any] | None:
    """Return the prompt and completion tokens that a server counted; None where it did not."""
    counted = reply.usage_metadata if reply is not None else None
    if not counted:
        return None
    said = counted.get("input_tokens"), counted.get("output_tokens")
    return said if any(said) else None


def _can_be(said: tuple[Any, Any], estimated: tuple[int, int]) -> bool:
    """Return whether counts are numbers that other tokenizers and hidden reasoning explain."""
    if not all(type(tokens) is int for tokens in said):
        return False
    least = [tokens / _ESTIMATE_TOO_HIGH for tokens in estimated]
    most = (estimated[0] * _ESTIMATE_TOO_LOW + _UNSEEN_PROMPT, _LONGEST_COMPLETION)
    return all(low <= tokens <= high for low, tokens, high in zip(least, said, most, strict=True))


def _written(reply: AIMessage) -> str:
    calls = [str(call["args"]) for call in (*reply.tool_calls, *reply.invalid_tool_calls)]
    return "\n".join([reply.text, *calls])
