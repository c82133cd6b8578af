"""One part of a reply that arrives piece by piece."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """A piece of a reply; the last parts say why it ended and what it took.

    Attributes:
        text: What the reply goes on with.
        finish_reason: `stop` or `length` at the end.
        prompt_tokens: Tokens that were read, graph tokens included.
        completion_tokens: Tokens that were written.
    """

    text: str = ""
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
