"""The turns of a conversation so far."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of the conversation.

    Attributes:
        question: As typed.
        answer: Its text; empty where none was given.
        perhaps: Whether the answer was given with reserve.
        standalone: The question as it was understood; empty where that is not known.
        trail: What the steps of the answer name, the last step first; None where nobody kept it.
    """

    question: str
    answer: str = ""
    perhaps: bool = False
    standalone: str = ""
    trail: tuple[str, ...] | None = None

    @property
    def whole_question(self) -> str:
        """The question as it was understood, else as typed."""
        return self.standalone or self.question
