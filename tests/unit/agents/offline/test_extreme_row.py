from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.reserves import PART
from hoptrail.agents.offline.answerer import search_answer
from hoptrail.agents.offline.extreme_row import find_extreme
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

PARTS = (
    "Part: Brass kettle; Price: 42 euros; Weight: 1.2 kg; Deposit: 5; Stock: 4\n"
    "Part: Steel toaster; Price: 38 euros; Weight: 2100 g; Deposit: 8; Stock: 9\n"
    "Part: Copper pan; Price: 75.50 euros; Weight: 0.9 kg; Deposit: 9; Stock: 9"
)
BOATS = (
    "Boat: Marigold; Length: 14 m; Passengers: 22\n"
    "Boat: Petrel; Length: 11.5 m; Passengers: 30\n"
    "Boat: Tern; Length: 9 m"
)


def evidence(*more: Chunk) -> Evidence:
    chunks = (
        Chunk("parts", "shop/parts.csv", "Parts", PARTS, 0, len(PARTS)),
        Chunk("boats", "club/boats.csv", "Boats of the rowing club", BOATS, 0, len(BOATS)),
        *more,
    )
    return Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which part is the most expensive?", "Copper pan"),
        ("What is the cheapest part?", "Steel toaster"),
        ("Which part is the heaviest?", "Steel toaster"),
        ("Which part weighs the least?", "Copper pan"),
        ("Which part has the lowest price?", "Steel toaster"),
        ("Which part costs the most?", "Copper pan"),
        ("Which boat is the longest?", "Marigold"),
        ("Which boat of the rowing club is the longest?", "Marigold"),
        ("Which part needs the biggest deposit?", "Copper pan"),
    ],
)
def test_row_with_the_most_or_least_is_found(question: str, answer: str) -> None:
    draft = search_answer(question, "bridge", evidence())
    verdict = verify(draft, question, "bridge", evidence())

    assert draft.answers == (answer,)
    assert (verdict.verified, verdict.reserve) == (True, None)
    assert [hop.support for hop in verdict.trail.hops] == ["stated"] * 3


@pytest.mark.parametrize(
    "question",
    [
        "Which boat carries the most passengers?",  # one row does not tell
        "Which part has the highest stock?",  # two have as much
        "Which hall is the largest?",
        "Which boat of the sailing school is the longest?",
        "Who is the oldest?",
        "Which part is the latest?",
    ],
)
def test_no_row_stands_out(question: str) -> None:
    assert find_extreme(question, EvidenceIndex(evidence())) is None


def test_table_that_may_go_on_is_answered_from_with_reserve() -> None:
    more = Chunk("more", "shop/parts.csv", "Parts", "See the next page.", 400, 418)
    draft = find_extreme("Which part is the cheapest?", EvidenceIndex(evidence(more)))

    assert draft is not None
    assert (draft.answers, draft.reserve) == (("Steel toaster",), PART)


def test_a_place_leaves_out_rows_of_other_places() -> None:
    pitches = (
        "Pitch: Alder; Field: north field; Price: 9 pounds\n"
        "Pitch: Birch; Field: south field; Price: 5 pounds\n"
        "Pitch: Cedar; Field: north field; Price: 7 pounds"
    )
    chunk = Chunk("pitches", "camp/pitches.csv", "Pitches", pitches, 0, len(pitches))
    index = EvidenceIndex(Evidence(chunks=(Hit(chunk, 1.0),)))
    draft = find_extreme("Which pitch in the north field is the cheapest?", index)

    assert draft is not None
    assert draft.answers == ("Cedar",)
    assert find_extreme("Which pitch in the west field is the cheapest?", index) is None
