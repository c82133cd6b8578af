from __future__ import annotations

import pytest

from hoptrail.agents.offline.message_order import compare_moments
from hoptrail.core.types import Chunk


def chunk(number: int, text: str) -> Chunk:
    return Chunk(f"c{number}", "d", "", text, 0, len(text))


KEY = chunk(
    1,
    "2026-05-04 16:00, Monday\n"
    "Ann Thale: Hi! Could I have the key of the boathouse?\n"
    "Bo Lund: Yes.",
)
BOAT = chunk(
    2, "2026-05-09 10:00, Saturday\nBo Lund: Good news, I sold the old boat.\nAnn Thale: Oh."
)
RENT = chunk(3, "2026-06-01, Monday\n09:00 Ann Thale: The rent of June is paid.")
SAID = (BOAT, KEY, RENT)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Did Ann ask for the key of the boathouse before Bo sold the boat?", "yes"),
        ("Did Ann ask for the key of the boathouse after Bo sold the boat?", "no"),
        ("Did AnnThale ask for the key before she paid the rent of June?", "yes"),
        ("How many days lie between Ann asking for the key and Bo having sold the boat?", "4 days"),
        (
            "Is the time between Ann asking for the key and Bo having sold the boat more than "
            "3 days?",
            "yes",
        ),
        (
            "Is the interval less than 3 days between Ann asking for the key and Bo having sold "
            "the boat?",
            "no",
        ),
    ],
)
def test_the_moments_of_two_messages_tell_what_came_first(question: str, answer: str) -> None:
    draft = compare_moments(question, SAID)
    assert draft is not None
    assert (draft.answers, draft.derived) == ((answer,), True)
    assert [hop.chunk_id for hop in draft.hops][0] == "c1"


def test_the_trail_names_who_wrote_what_on_which_day() -> None:
    draft = compare_moments("Did Ann ask for the key before Bo sold the boat?", SAID)
    assert draft is not None
    assert [hop.claim for hop in draft.hops] == [
        "Ann Thale wrote on 2026-05-04 Could I have the key of the boathouse?",
        "Bo Lund wrote on 2026-05-09 Good news, I sold the old boat.",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Did Ann ask for the key before Cy painted the lighthouse?",
        "Who sold the boat?",
        "What did Ann ask for after Bo sold the boat?",
        "Did Ann ask for the key before Ann asked for the key of the boathouse?",
    ],
)
def test_nothing_is_said_where_a_half_is_not_found_or_both_are_the_same(question: str) -> None:
    assert compare_moments(question, SAID) is None


def test_other_texts_have_no_moments() -> None:
    plain = chunk(4, "Ann asked for the key. Bo sold the boat.")
    assert compare_moments("Did Ann ask for the key before Bo sold the boat?", [plain]) is None
