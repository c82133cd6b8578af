"""Answers from the newest of several texts."""

from __future__ import annotations

import pytest

from hoptrail.agents.offline.answerer import search_answer
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import Draft

FEES_2023 = "The fee of the pottery course is 120 euros. The fee of the choir is 30 euros."
FEES_2025 = "The fee of the pottery course is 135 euros."
JANUARY = "The fair is held on 8 June. Ines Falk orders the tents."
FEBRUARY = "The fair is held on 15 June."


def answer(question: str, **texts: str) -> Draft:
    chunks = [
        Chunk(name, f"f/{name.replace('_', ' ').replace('x', '-')}.md", "Notes", said, 0, len(said))
        for name, said in texts.items()
    ]
    evidence = Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))
    return search_answer(question, "bridge", evidence)


@pytest.mark.parametrize(
    ("question", "given", "reserve"),
    [
        (
            "What is the fee of the pottery course?",
            "135 euros",
            'the older text "fees 2023.md" says 120 euros',
        ),
        ("What was the fee of the pottery course in 2023?", "120 euros", None),
        (
            "What is the fee of the choir?",
            "30 euros",
            'no passage states it after "fees 2023.md" in so many words',
        ),
    ],
)
def test_the_newer_edition_answers_and_the_older_value_is_told(
    question: str, given: str, reserve: str | None
) -> None:
    draft = answer(question, fees_2023=FEES_2023, fees_2025=FEES_2025)
    assert (draft.answers, draft.reserve or None) == ((given,), reserve)


def test_later_minutes_overturn_what_they_speak_of_and_leave_the_rest() -> None:
    minutes = {"minutes_2024x01x15": JANUARY, "minutes_2024x02x12": FEBRUARY}
    changed = answer("When is the fair held?", **minutes)
    assert changed.answers == ("15 June",)
    assert changed.reserve == 'the older text "minutes 2024-01-15.md" says 8 June'
    kept = answer("Who orders the tents?", **minutes)
    assert (kept.answers, kept.reserve or None) == (("Ines Falk",), None)
