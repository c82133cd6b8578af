from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.column_lookup import look_up_line
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

LIBRARY = """TOWN LIBRARY

Opening hours

Mon-Wed      10-18
Friday       closed
Saturday .... 10 to 14

Office hours

Thursday     9-11

Cafe: Tue-Sat 11-16
"""
POOL = """Swimming pool

              Morning        Afternoon
Saturday      8-12           13-18
Sunday        9-12           closed

Prices
Adult ........ 6.50 euros
Ten visits ... 55.00 euros
"""

MEMBERS = (
    "Group: Adults; 2021: 84; 2022: 91; 2023: 97\n"
    "Group: Juniors; 2021: 31; 2022: 29; 2023: 35\n"
    "Group: Total; 2021: 115; 2022: 120; 2023: 132"
)


def evidence() -> Evidence:
    texts = {"Town library": LIBRARY, "Swimming pool": POOL}
    chunks = [
        Chunk(title, f"town/{title}.txt", title, text, 0, len(text))
        for title, text in texts.items()
    ]
    return Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is the library open on Saturday?", "10 to 14"),
        ("When is the library open on Tuesdays?", "10-18"),
        ("What are the library's opening hours on Monday?", "10-18"),
        ("When is the library open on Friday?", "closed"),
        ("When is the pool open on Saturday?", "8-12; 13-18"),
        ("When is the pool open on Sunday?", "9-12"),
        ("How much is an adult at the pool?", "6.50 euros"),
        ("What do ten visits cost?", "55.00 euros"),
    ],
)
def test_what_stands_beside_a_day_or_thing_is_a_plain_answer(question: str, answer: str) -> None:
    draft = look_up_line(question, EvidenceIndex(evidence()))

    assert draft is not None
    assert draft.text == answer
    verdict = verify(draft, question, "bridge", evidence())
    assert {hop.support for hop in verdict.trail.hops} == {"stated"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Is the library open on Friday?", "no"), ("Is the library open on Monday?", "yes")],
)
def test_whether_it_is_open_follows_from_its_hours(question: str, answer: str) -> None:
    draft = look_up_line(question, EvidenceIndex(evidence()))

    assert draft is not None
    assert draft.answers == (answer,)
    assert verify(draft, question, "bridge", evidence()).verified


@pytest.mark.parametrize(
    "question",
    [
        "When is the library open on Sunday?",  # no line
        "When is the library open on Thursday?",  # the office's
        "When is the museum open on Saturday?",
        "Is the library open at 5 pm on Friday?",
        "How much is a child at the pool?",
        "When is the library open?",
    ],
)
def test_no_line_answers_another_question(question: str) -> None:
    assert look_up_line(question, EvidenceIndex(evidence())) is None


def evidence_year_column() -> Evidence:
    chunk = Chunk("c", "club/members.csv", "members", MEMBERS, 0, len(MEMBERS))
    return Evidence(chunks=(Hit(chunk, 1.0),))


def test_the_full_stop_of_a_line_is_no_part_of_its_cell() -> None:
    text = "Minutes of the May meeting\n\nNext meeting:  9 July 2025.\nDoors open:  7 p.m.\n"
    chunk = Chunk("c", "minutes.txt", "Minutes", text, 0, len(text))
    index = EvidenceIndex(Evidence(chunks=(Hit(chunk, 1.0),)))
    draft = look_up_line("When is the next meeting?", index)
    assert draft is not None
    assert draft.text == "9 July 2025"
