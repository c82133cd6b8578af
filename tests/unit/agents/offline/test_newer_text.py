from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.answerer import search_answer
from hoptrail.agents.offline.newer_text import find_newer_word
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import Draft
from tests.unit.agents.conftest import evidence_of, index_of

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


MARCH = "Present: Ann Holt (treasurer), Piotr Zielinski (chair)\nApologies: Tom Ridd"
MAY = "Present: Ann Holt, Mary Osei (chair), Tom Ridd (secretary)\nApologies: Piotr Zielinski"


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("Who is the chair?", "Mary Osei"),  # the older text names another one
        ("Who orders the tents in March?", "Ines Falk"),  # the text of that month says nothing
    ],
)
def test_of_minutes_the_newest_is_read_alone_and_those_of_a_month_first(
    question: str, given: str
) -> None:
    draft = answer(
        question, minutes_2025x01x10=JANUARY, minutes_2025x03x12=MARCH, minutes_2025x05x14=MAY
    )
    assert draft.answers == (given,)


DINNER = """the Christmas dinner is now on 27 November. It will cost 25 pounds instead.

-----Original Message-----
From: Ivo Brandt

the Christmas dinner is on 20 November. It costs 22 pounds.
"""


@pytest.mark.parametrize(
    ("question", "answer", "before"),
    [
        ("When is the Christmas dinner?", "27 November", "20 November"),
        ("What does the Christmas dinner cost?", "25 pounds", "22 pounds"),
    ],
)
def test_what_a_reply_changes_is_the_answer_and_the_earlier_value_the_reserve(
    question: str, answer: str, before: str
) -> None:
    evidence = evidence_of(DINNER, title="Christmas dinner")
    draft = find_newer_word(question, EvidenceIndex(evidence))

    assert draft is not None
    assert draft.answers == (answer,)
    verdict = verify(draft, question, "bridge", evidence)
    assert [hop.support for hop in verdict.trail.hops] == ["stated"]
    assert verdict.reserve == f"an older text says {before}"


@pytest.mark.parametrize(
    "text",
    [
        "Could we move the Christmas dinner to 27 November?\n> The Christmas dinner is on 3 May.",
        "I can only come on 27 November.\n> The Christmas dinner is on 20 November.",
        "The Christmas dinner is now on 27 November.",  # nothing before
        "The choir supper is now on 27 November.\n> The Christmas dinner is on 20 November.",
        "The Christmas dinner is now on 20 November.\n> The Christmas dinner is on 20 November.",
    ],
)
def test_nothing_is_newer_where_no_reply_changes_it(text: str) -> None:
    assert find_newer_word("When is the Christmas dinner?", index_of(text)) is None


def test_what_has_been_moved_is_the_answer_and_what_another_passage_tells_the_reserve() -> None:
    evidence = evidence_of(
        "The autumn walk takes place on 17 October 2026. We meet at 9:30.",
        "The autumn walk has been moved from then to 24 October 2026 for the flood.",
        title="Autumn walk",
    )
    question = "When does the autumn walk take place?"
    draft = find_newer_word(question, EvidenceIndex(evidence))

    assert draft is not None
    assert draft.answers == ("24 October 2026",)
    verdict = verify(draft, question, "bridge", evidence)
    assert [hop.support for hop in verdict.trail.hops] == ["stated"]
    assert verdict.reserve == "another text says 17 October 2026"


def test_a_change_in_the_past_is_no_newer_word() -> None:
    text = "In 1990 the hall fee was raised to 5 pounds. Today the hall fee is 15 pounds."

    assert find_newer_word("How much is the hall fee?", index_of(text)) is None
