"""A question of two steps about a ship, and prompts that show passages about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from langchain_core.messages import BaseMessage

from hoptrail.core.render import render
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.eval.oracle.evidence_text import EvidenceText
from hoptrail.eval.questions.question import GoldStep, Question
from hoptrail.prompts.loader import SHIPPED
from tests.ships import FACTS, QUESTION

Passage = tuple[str, str]

SHIP: Passage = ("Morning Tern", FACTS["Morning Tern"])
YARD: Passage = ("Alder Yard", FACTS["Alder Yard"])
PERSON: Passage = ("Edda Thorn", FACTS["Edda Thorn"])


def chained(**fields: object) -> Question:
    """Return the question with its gold; the fields replace what it has."""
    gold = {
        "id": "q1",
        "text": QUESTION,
        "answers": (("Edda Thorn",),),
        "line": 1,
        "steps": (
            GoldStep("What yard built the Morning Tern?", "Alder Yard", (SHIP,)),
            GoldStep("Who founded #1?", "Edda Thorn", (YARD,)),
        ),
        **fields,
    }
    return Question(**gold)  # type: ignore[arg-type]


def rendered(*passages: Passage) -> str:
    """Return passages as the product renders them."""
    chunks = (
        Chunk(f"c{place}", f"d{place}", title, text, 0, len(text), 1)
        for place, (title, text) in enumerate(passages)
    )
    return render(Evidence(chunks=tuple(Hit(chunk) for chunk in chunks)), 10_000).text


def shown(*passages: Passage) -> EvidenceText:
    """Return the passages as the oracle reads them."""
    return EvidenceText(rendered(*passages))


@pytest.fixture
def ask() -> Callable[..., list[BaseMessage]]:
    """Return a function that renders a prompt of answers about the question."""

    def build(
        *passages: Passage, prompt: str = "answer_generic", question: str = QUESTION
    ) -> Sequence[BaseMessage]:
        return SHIPPED.load(prompt).render(evidence=rendered(*passages), question=question)

    return build  # type: ignore[return-value]
