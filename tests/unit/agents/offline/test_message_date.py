from __future__ import annotations

import pytest

from hoptrail.agents.offline.message_date import read_message_date
from hoptrail.core.types import Chunk

TEXT = """2026-05-13, Wednesday
18:12 Bo Lund: Good evening. The sail arrived yesterday. It cost 1,250 euros.
18:20 Ann Thale: The regatta is this Saturday, and I bought a flag."""
CHUNK = Chunk("c1", "d", "", TEXT, 0, len(TEXT))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did the sail arrive?", "2026-05-12"),
        ("When did Bo say that the sail arrived?", "2026-05-13"),
        ("On which day is the regatta?", "2026-05-16"),
    ],
)
def test_days_count_from_the_message(question: str, answer: str) -> None:
    draft = read_message_date(question, [CHUNK])
    assert draft is not None
    assert (draft.answers, draft.derived) == ((answer,), True)


def test_the_trail_is_the_message_that_tells_it() -> None:
    draft = read_message_date("When did the sail arrive?", [CHUNK])
    assert draft is not None
    assert [hop.claim for hop in draft.hops] == [
        "Bo Lund wrote on 2026-05-13 The sail arrived yesterday."
    ]


@pytest.mark.parametrize(
    "question", ["Who bought a flag?", "When was the lighthouse built?", "When was a flag bought?"]
)
def test_other_questions_are_left_to_others(question: str) -> None:
    alone = "2026-05-13, Wednesday\n18:20 Ann Thale: I bought a flag."
    assert read_message_date(question, [Chunk("c", "d", "", alone, 0, len(alone))]) is None
