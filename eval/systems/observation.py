"""Observations of one question: its gold, the retrieved evidence, the answer."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph


@dataclass(frozen=True, slots=True)
class Response:
    """A system's answer; `answers` best first, empty where it abstained."""

    answer: str = ""
    answers: tuple[str, ...] = ()
    abstained: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything that the metrics see of one question.

    Attributes:
        question: Text and gold answers.
        gold: Gold documents, empty where the data has none.
        ranking: Retrieved documents, distinct, best first; None where a system ranks none.
        context: The rendered evidence at the budget; None where a system shows none.
        context_retrieved: The same before compression.
        context_random: The chance floor, the budget filled by random passages.
        response: None where only retrieval is measured.
        judged: What a judge said of an answer that its words did not settle; None where not asked.
        graph: The retrieved nodes and edges; None where a system retrieves text only.
        node_similarity: Highest cosine of a retrieved node and a gold answer, where known.
        gold_of_last_hop: Gold documents of the last step, empty where the data does not tell steps.
    """

    question: Question
    gold: tuple[str, ...] = ()
    ranking: tuple[str, ...] | None = ()
    context: str | None = ""
    context_retrieved: str | None = None
    context_random: str | None = None
    response: Response | None = None
    judged: bool | None = None
    graph: RetrievedGraph | None = None
    node_similarity: float | None = None
    gold_of_last_hop: tuple[str, ...] = ()
