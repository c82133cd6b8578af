"""How far a model's reply has come, for those who wait for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReplyProgress:
    """How far a reply has come.

    Attributes:
        text: What has been written.
        tokens_read: How many tokens of the prompt have been read; None where it is not told.
    """

    text: str = ""
    tokens_read: int | None = None


Follow = Callable[[ReplyProgress], None]
"""Told of each piece of a reply."""
