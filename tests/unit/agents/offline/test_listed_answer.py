from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.reserves import PART
from hoptrail.agents.offline.listed_answer import find_list
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

CLUB = """# Rowing club

## Committee

- Ann Holt (chair)
- Bo Reed (treasurer)

## Former trustees

- Cy Dale
- Di Marsh

Our volunteers:
  Ed Poole
  Flo Quinn

Boats: Wren, Robin and Heron

The first aid kit contains plasters, two bandages and scissors.
The kiosk sells tea, coffee and buns.
The store holds a tent.
"""


def evidence_of(text: str, *, start: int = 0) -> Evidence:
    chunk = Chunk("c", "club/about.md", "Rowing club", text, start, start + len(text), 90)
    return Evidence(chunks=(Hit(chunk, 1.0),))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is on the committee?", "Ann Holt; Bo Reed"),
        ("Who are the members of the committee?", "Ann Holt; Bo Reed"),
        ("Who are the volunteers of the rowing club?", "Ed Poole; Flo Quinn"),
        ("Which boats are there?", "Wren; Robin; Heron"),
        ("What does the first aid kit contain?", "plasters; two bandages; scissors"),
        ("What is in the first aid kit?", "plasters; two bandages; scissors"),
        ("What does the kiosk sell?", "tea; coffee; buns"),
    ],
)
def test_all_items_of_a_list_are_a_plain_answer(question: str, answer: str) -> None:
    evidence = evidence_of(CLUB)
    draft = find_list(question, EvidenceIndex(evidence))

    assert draft is not None
    assert draft.text == answer
    verdict = verify(draft, question, "bridge", evidence)
    assert {hop.support for hop in verdict.trail.hops} == {"stated"}
    assert verdict.reserve is None


@pytest.mark.parametrize(
    "question",
    [
        "Who are the trustees?",  # the list is of former ones
        "Who is the chair of the committee?",
        "What does the kiosk contain?",
        "What does the store hold?",  # one thing
        "Who are the members of the crew?",
    ],
)
def test_no_list_answers_another_question(question: str) -> None:
    assert find_list(question, EvidenceIndex(evidence_of(CLUB))) is None


def test_a_list_that_its_passage_may_cut_off_is_given_with_reserve() -> None:
    evidence = evidence_of("## Committee\n\n- Ann Holt\n- Bo Reed", start=800)
    draft = find_list("Who is on the committee?", EvidenceIndex(evidence))

    assert draft is not None
    assert draft.reserve == PART
