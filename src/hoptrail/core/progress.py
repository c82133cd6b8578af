"""The progress of long-running work and of a model's reply, told to an observer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Progress(Protocol):
    """Observer of the stages of some work; the command line draws bars with it."""

    def start(self, stage: str, total: int | None) -> None:
        """A stage begins; `total` is its number of steps, None where it is not known yet."""

    def advance(self, stage: str, steps: int = 1) -> None:
        """Some steps of the stage are done."""

    def finish(self, stage: str) -> None:
        """The stage is over."""


class NoProgress:
    """Observes nothing."""

    def start(self, stage: str, total: int | None) -> None:
        """Ignore the beginning of a stage."""

    def advance(self, stage: str, steps: int = 1) -> None:
        """Ignore steps."""

    def finish(self, stage: str) -> None:
        """Ignore the end of a stage."""


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
