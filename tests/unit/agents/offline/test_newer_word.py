from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.newer_word import find_newer_word
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

DINNER = """the Christmas dinner is now on 27 November. It will cost 25 pounds instead.

-----Original Message-----
From: Ivo Brandt

the Christmas dinner is on 20 November. It costs 22 pounds.
"""


def evidence_of(text: str) -> Evidence:
    chunk = Chunk("c", "inbox/2.txt", "Christmas dinner", text, 0, len(text))
    return Evidence(chunks=(Hit(chunk, 1.0),))


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
    evidence = evidence_of(DINNER)
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
    index = EvidenceIndex(evidence_of(text))

    assert find_newer_word("When is the Christmas dinner?", index) is None


def test_what_has_been_moved_is_the_answer_and_what_another_passage_tells_the_reserve() -> None:
    evidence = Evidence(
        chunks=tuple(
            Hit(Chunk(f"c{place}", f"inbox/{place}.eml", "Autumn walk", text, 0, len(text)), 1.0)
            for place, text in enumerate(
                (
                    "The autumn walk takes place on 17 October 2026. We meet at 9:30.",
                    "The autumn walk has been moved from then to 24 October 2026 for the flood.",
                )
            )
        )
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

    assert find_newer_word("How much is the hall fee?", EvidenceIndex(evidence_of(text))) is None
