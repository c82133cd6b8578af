from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.year_column import look_up_year
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

MEMBERS = (
    "Group: Adults; 2021: 84; 2022: 91; 2023: 97\n"
    "Group: Juniors; 2021: 31; 2022: 29; 2023: 35\n"
    "Group: Total; 2021: 115; 2022: 120; 2023: 132"
)


def evidence() -> Evidence:
    chunk = Chunk("c", "club/members.csv", "members", MEMBERS, 0, len(MEMBERS))
    return Evidence(chunks=(Hit(chunk, 1.0),))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many juniors were there in 2022?", "29"),
        ("How many adult members were there in 2023?", "97"),
        ("How many members were there in 2021?", "115"),
    ],
)
def test_the_cell_where_row_and_year_meet_is_a_plain_answer(question: str, answer: str) -> None:
    draft = look_up_year(question, EvidenceIndex(evidence()))

    assert draft is not None
    assert draft.answers == (answer,)
    verdict = verify(draft, question, "bridge", evidence())
    assert [hop.support for hop in verdict.trail.hops] == ["stated"]
    assert verdict.reserve is None


@pytest.mark.parametrize(
    "question",
    [
        "How many juniors were there in 2019?",
        "How many seniors were there in 2022?",
        "How many juniors were there?",
        "Who joined in 2022?",
    ],
)
def test_another_year_or_row_is_not_answered(question: str) -> None:
    assert look_up_year(question, EvidenceIndex(evidence())) is None
