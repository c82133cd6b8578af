"""What can be measured: something that takes a question and shows what it found or answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hoptrail.core.types import JsonDict
from hoptrail.eval.metrics import Response


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a system gave for one question.

    `record` is its `ask` or `retrieve` object (CONTRACT 2) with `passages`; `context` the evidence
    as rendered for the answerer, `context_retrieved` the same before compression; `response` is
    None for a retriever.
    """

    record: JsonDict
    context: str = ""
    context_retrieved: str | None = None
    response: Response | None = None


class System(Protocol):
    """A retriever or a preset under measurement."""

    @property
    def name(self) -> str:
        """What is measured, such as `retriever:ket`."""
        ...

    @property
    def headline(self) -> str:
        """Name of the metric to watch."""
        ...

    async def run(self, question: str) -> Outcome:
        """Return what the system makes of a question."""
        ...

    def crashed(self) -> Outcome:
        """Return the outcome that stands for a crash: nothing found, nothing answered."""
        ...
