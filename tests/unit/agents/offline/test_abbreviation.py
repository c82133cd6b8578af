from __future__ import annotations

import pytest

from hoptrail.agents.offline.answerer import search_answer
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

PLAN = "KEYS OF THE PLAN\n\nOC = on call\nNS = night shift\n"
CLUB = "The Alding Rowing Club (ARC) has a boathouse. The ARC was founded in 1901.\n"


def evidence_of(*texts: str) -> Evidence:
    chunks = [
        Chunk(f"c{at}", f"{at}.md", f"Text {at}", text, 0, len(text))
        for at, text in enumerate(texts)
    ]
    return Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))


@pytest.mark.parametrize(
    ("question", "answer", "quote"),
    [
        ("What does OC mean?", "on call", "OC = on call"),
        ('What does "NS" stand for?', "night shift", "NS = night shift"),
        ("What is OC?", "on call", "OC = on call"),
        ("What is the abbreviation for night shift?", "NS", "NS = night shift"),
        ("What does ARC stand for?", "Alding Rowing Club", "Alding Rowing Club (ARC)"),
    ],
)
def test_what_a_text_explains_is_the_plain_answer(question: str, answer: str, quote: str) -> None:
    evidence = evidence_of(PLAN, CLUB)

    draft = search_answer(question, "bridge", evidence)
    verdict = verify(draft, question, "bridge", evidence)

    assert draft.answers == (answer,)
    assert [(hop.support, hop.quote) for hop in verdict.trail.hops] == [("stated", quote)]
    assert verdict.reserve is None


def test_all_that_texts_explain_differently_is_told() -> None:
    evidence = evidence_of(PLAN, "OC = Oskel Council\n")
    draft = search_answer("What does OC mean?", "bridge", evidence)
    assert draft.answers == ("on call", "Oskel Council")


def test_what_nobody_explains_is_not_guessed() -> None:
    assert search_answer("What does XY mean?", "bridge", evidence_of(PLAN, CLUB)).abstained
