"""The tokens of a model call: counted, priced, and whether the server has read all of them.

Ollama cuts a prompt silently and reads what fits its context: it says so in its log alone
(ollama/ollama#10368, #6648). So the context is asked for with each prompt, and the count of what
was read is compared with what was sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage

from hoptrail.core.errors import ModelReplyError
from hoptrail.core.settings import Price
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import NodeUsage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

# How far a believable count may be from the estimate; tool schemas and graph tokens are not in it.
_ESTIMATE_TOO_HIGH = 8
_ESTIMATE_TOO_LOW = 8
_UNSEEN_PROMPT = 20_000
_LONGEST_COMPLETION = 1_000_000

LONGEST_REPLY = 1_024
"""Tokens of a reply that nothing else bounds: small models may repeat themselves for ever."""

_SMALLEST, _STEP = 2_048, 1_024
_MARGIN = 1.25  # other tokenizers count more
_TEMPLATE = 128
_LEAST_READ = 0.6  # of the estimate
_SHORTEST = 1_500  # tokens; shorter prompts fit any context


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


def token_counter_for(model: BaseChatModel | None) -> TokenCounter:
    """Return the counter of a local model's loaded tokenizer, else the estimate.

    LangChain's `get_num_tokens` is not used: it downloads vocabularies.
    """
    tokenizer: Any = getattr(model, "tokenizer", None)
    if tokenizer is None or not callable(getattr(tokenizer, "encode", None)):
        return estimate_tokens

    def count(text: str) -> int:
        return len(tokenizer.encode(text))

    return count


def cuts_silently(name: str) -> bool:
    """Return whether the server of a model reads the part of a prompt that fits, and no more."""
    return name.startswith("ollama:")


def context_for(messages: Sequence[BaseMessage], longest_reply: int, count: TokenCounter) -> int:
    """Return the tokens of context that a prompt and its reply need, in steps of 1,024.

    Equal contexts spare the server from loading the model anew.
    """
    needed = _tokens(messages, count) * _MARGIN + longest_reply + _TEMPLATE
    return max(_SMALLEST, -(-int(needed) // _STEP) * _STEP)


def require_all_read(
    name: str, reply: AIMessage, messages: Sequence[BaseMessage], count: TokenCounter
) -> None:
    """Make sure that a server has read a whole prompt, by its own count.

    Raises:
        ModelReplyError: If it has read far less than was sent.
    """
    read = reply.usage_metadata["input_tokens"] if reply.usage_metadata else 0
    sent = _tokens(messages, count)
    if not read or sent < _SHORTEST or read >= _LEAST_READ * sent:
        return
    raise ModelReplyError(
        f"model {name} read {read:,} of about {sent:,} tokens: the prompt was cut",
        hint="give Ollama a larger context (OLLAMA_CONTEXT_LENGTH), or lower budget_tokens",
    )


def _tokens(messages: Sequence[BaseMessage], count: TokenCounter) -> int:
    return sum(count(message.text) for message in messages)
