"""A question with its graph, and its answers as the graph language model writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Self

from hoptrail.core.errors import InputError
from hoptrail.core.text import name_key
from hoptrail.core.types import Evidence, Relation
from hoptrail.models.graph_llm.graph_input import GraphInput

_FIELDS = ("id", "question", "answers", "graph")
SEPARATOR = "; "
TARGET_TOKENS = 32

_BREAK = re.compile(r"[;\n]")
MOST_RELATIONS = 200
"""More than the model was shown in training; what comes later bears least on the question."""


def reply_answers(reply: str) -> tuple[str, ...]:
    """Return the distinct answers of a reply, in its order; a line ends an answer too."""
    answers: dict[str, str] = {}
    for part in _BREAK.split(reply):
        if answer := part.strip():
            answers.setdefault(answer.casefold(), answer)
    return tuple(answers.values())


def answers_in_graph(answers: Sequence[str], graph: GraphInput | None) -> list[str]:
    """Return the distinct answers that name a node of the graph."""
    names = {name_key(name) for name in graph.nodes if name} if graph is not None else set()
    return [answer for answer in dict.fromkeys(answers) if name_key(answer) in names]


def target_text(
    answers: Sequence[str],
    graph: GraphInput | None,
    tokens: Callable[[str], int],
    budget: int = TARGET_TOKENS,
) -> str:
    """Return the reply that a model is trained to give.

    Answers that the graph holds are preferred, in its order: to ask for others, or for an order
    that nothing shows, teaches the model to guess.

    Args:
        answers: The gold answers.
        graph: What the model sees; None where it sees no graph.
        tokens: Counts the tokens of a text.
        budget: Most tokens; answers beyond them are left out, but never the first.
    """
    names = [name_key(name) for name in graph.nodes] if graph is not None else []
    places = {name: place for place, name in reversed(list(enumerate(names))) if name}
    distinct = list(dict.fromkeys(answers))
    held = [answer for answer in distinct if name_key(answer) in places]
    chosen = sorted(held, key=lambda answer: places[name_key(answer)]) or distinct
    text = chosen[0] if chosen else ""
    for answer in chosen[1:]:
        longer = f"{text}{SEPARATOR}{answer}"
        if tokens(longer) <= budget:
            text = longer
    return text


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


def graph_of_evidence(evidence: Evidence) -> GraphInput:
    """Return the relations of the evidence with their ends, best first.

    The relations of paths follow those that were retrieved alone; each counts once, and no more
    than `MOST_RELATIONS`. Each entity is a node of its own, also where two have one name.
    """
    names: dict[str, str] = {}
    numbers: dict[str, int] = {}
    edges: list[tuple[int, str, int]] = []
    for relation in islice(_relations(evidence), MOST_RELATIONS):
        for entity, name in (
            (relation.source, relation.subject),
            (relation.target, relation.object),
        ):
            names.setdefault(entity, name)
            numbers.setdefault(entity, len(numbers))
        edges.append((numbers[relation.source], relation.predicate, numbers[relation.target]))
    return GraphInput(tuple(names.values()), tuple(edges))


def _relations(evidence: Evidence) -> Iterable[Relation]:
    alone = (hit.item for hit in evidence.relations)
    on_paths = (relation for hit in evidence.paths for relation in hit.item.relations)
    return {relation.id: relation for relation in chain(alone, on_paths)}.values()
