"""A question with its gold answers and its subgraph: what the graph language model trains on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from hoptrail.core.errors import InputError
from hoptrail.models.graph_llm.graph_input import GraphInput

_FIELDS = ("id", "question", "answers", "graph")


@dataclass(frozen=True, slots=True)
class GraphExample:
    """One training or test example.

    Attributes:
        id: Unique within its set.
        question: The question as it is asked.
        answers: All gold answers.
        graph: What retrieval found for the question, best edge first.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    graph: GraphInput

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that `from_json` reads: one line of a file of examples."""
        return {
            "id": self.id,
            "question": self.question,
            "answers": list(self.answers),
            "graph": self.graph.to_json(),
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Return the example of one line of a file.

        Raises:
            InputError: If a field is missing or has another form (`GraphInputError` for the graph).
        """
        if not isinstance(value, Mapping):
            raise InputError("an example is not an object")
        missing = [field for field in _FIELDS if field not in value]
        if missing:
            raise InputError(f"an example has no {missing[0]}")
        id_, question, answers = value["id"], value["question"], value["answers"]
        if not isinstance(id_, str) or not isinstance(question, str):
            raise InputError("id and question of an example are not texts")
        if not isinstance(answers, list) or not all(isinstance(text, str) for text in answers):
            raise InputError(f"the answers of example {id_!r} are not a list of texts")
        return cls(id_, question, tuple(answers), GraphInput.from_json(value["graph"]))
