"""Systems under measurement: each takes a question and shows what it found or answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

from hoptrail.core.types import Chunk, Hit, JsonDict
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph

RANKED_DOCUMENTS = 10
"""The deepest ranking that a metric looks at."""


@dataclass(frozen=True, slots=True)
class Response:
    """A system's answer; `answers` best first, empty where it abstained."""

    answer: str = ""
    answers: tuple[str, ...] = ()
    abstained: bool = False


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


def ranked_passages(hits: Iterable[Hit[Chunk]], documents: int) -> list[Hit[Chunk]]:
    """Return the first passages, until so many distinct documents are among them."""
    seen: set[str] = set()

    def is_wanted(hit: Hit[Chunk]) -> bool:
        if len(seen) == documents and hit.item.doc_id not in seen:
            return False
        seen.add(hit.item.doc_id)
        return True

    return list(takewhile(is_wanted, hits))


def ranked_documents(passages: Sequence[JsonDict] | None) -> tuple[str, ...] | None:
    """Return the document ids of a row's `passages`; None where it has no such list."""
    if passages is None:
        return None
    return tuple(dict.fromkeys(passage["doc_id"] for passage in passages))
