"""Room for a prompt at servers that cut it silently: Ollama reads what fits its context.

It says so in its log alone (ollama/ollama#10368, #6648): so the context is asked for with each
prompt, and the count of what was read is compared with what was sent.
"""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from hoptrail.core.errors import ModelReplyError
from hoptrail.core.tokens import TokenCounter

LONGEST_REPLY = 1_024
"""Tokens of a reply that nothing else bounds: small models may repeat themselves for ever."""

_SMALLEST, _STEP = 2_048, 1_024
_MARGIN = 1.25  # other tokenizers count more
_TEMPLATE = 128
_LEAST_READ = 0.6  # of the estimate
_SHORTEST = 1_500  # tokens; shorter prompts fit any context


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
