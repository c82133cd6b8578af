"""Systems under measurement: each takes a question and shows what it found or answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hoptrail.core.types import JsonDict
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.observation import Response
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """Evidence and answer of a system for one question.

    Attributes:
        record: Its `ask` or `retrieve` object with `passages`; without them, nothing is ranked.
        context: The evidence as rendered for the answerer; None where it shows none.
        context_retrieved: The same before compression.
        response: What it answered; None for a retriever.
        graph: The retrieved nodes and edges; None where it retrieves text only.
        node_similarity: Highest cosine of a retrieved node and a gold answer, where known.
    """

    record: JsonDict
    context: str | None = ""
    context_retrieved: str | None = None
    response: Response | None = None
    graph: RetrievedGraph | None = None
    node_similarity: float | None = None


class System(Protocol):
    """A retriever or a preset under measurement."""

    @property
    def name(self) -> str:
        """Name of the measured method, such as `retriever:ket`."""
        ...

    @property
    def headline(self) -> str:
        """Name of the metric to watch."""
        ...

    async def run(self, question: Question) -> SystemOutput:
        """Return what the system makes of a question."""
        ...

    def crashed(self) -> SystemOutput:
        """Return the outcome that stands for a crash: nothing found, nothing answered."""
        ...
