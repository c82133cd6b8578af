"""Measures a model call: tokens as the server counted them, else estimated, and their price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langchain_core.messages import AIMessage, BaseMessage

from hoptrail.core.settings import Price
from hoptrail.core.tokens import TokenCounter
from hoptrail.core.types import NodeUsage

# Groq's list prices as the method sheet of preset `reasoning` states them (November 2026).
_KNOWN_PRICES = {
    "groq:llama-3.1-8b-instant": Price(prompt=0.05, completion=0.05),
    "groq:llama-3.3-70b-versatile": Price(prompt=0.59, completion=0.59),
}


def price_of(model: str, prices: Mapping[str, Price]) -> Price:
    """Return a model's dollars per million tokens: as set, else as known, else nothing."""
    bare_name = model.partition(":")[2] or model
    return prices.get(model) or prices.get(bare_name) or _KNOWN_PRICES.get(model) or Price()


def measure_call(
    prompt: Sequence[BaseMessage], reply: AIMessage | None, *, price: Price, count: TokenCounter
) -> NodeUsage:
    """Return what a call spent, without the call itself, which is counted when it begins.

    Args:
        prompt: The messages sent.
        reply: The reply as far as it arrived; None where the server may have worked in vain.
        price: Dollars per million tokens.
        count: Token counter for what the server did not count.
    """
    counted = reply.usage_metadata if reply is not None else None
    if counted and (counted["input_tokens"] or counted["output_tokens"]):
        prompt_tokens, completion_tokens = counted["input_tokens"], counted["output_tokens"]
    else:
        prompt_tokens = sum(count(message.text) for message in prompt)
        completion_tokens = count(_written(reply)) if reply is not None else 0
    usd = (prompt_tokens * price.prompt + completion_tokens * price.completion) / 1e6
    return NodeUsage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, usd=usd)


def _written(reply: AIMessage) -> str:
    calls = [str(call["args"]) for call in (*reply.tool_calls, *reply.invalid_tool_calls)]
    return "\n".join([reply.text, *calls])
