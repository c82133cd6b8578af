"""The written form of a set of answers: what the model learns to say, and how a reply is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hoptrail.core.text import name_key
from hoptrail.models.graph_llm.graph_input import GraphInput

SEPARATOR = "; "
TARGET_TOKENS = 32

_BREAK = re.compile(r"[;\n]")


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
