from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.stated_age import find_stated_age
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit

CLUB = (
    "Ann Lund joined in 2004. Ann Lund is 44 years old. Per Holm is 61. Ida Boe (39) keeps the "
    "keys. Jon Vik, aged 52, runs the bar. Mia Dahl, 17, rows. The bridge is 900 years old. "
    "The old oak is 1,200 years old. The table for Ada Brandt is 14. Kai Lie (3) is here. "
    "Bo Reed is 12 km away. Eva Ruud is not 30 years old. Lena Foss (1999) wrote it. "
    "His sister Siv Moe, who is 66, cooks. Tor Aas is 20. In May Tor Aas is 21."
)


def evidence() -> Evidence:
    return Evidence(chunks=(Hit(Chunk("c", "club/people.md", "Club", CLUB, 0, len(CLUB)), 1.0),))


@pytest.mark.parametrize(
    ("question", "age"),
    [
        ("How old is Ann Lund?", "44 years"),
        ("What is Per Holm's age?", "61"),
        ("What is the age of Jon Vik?", "52"),
        ("How old is Mia Dahl now?", "17"),
        ("How old is the bridge?", "900 years"),
        ("How old is Siv Moe?", "66"),
        ("How old is the old oak?", "1,200 years"),
    ],
)
def test_age_is_read_where_a_sentence_states_it(question: str, age: str) -> None:
    draft = find_stated_age(question, EvidenceIndex(evidence()))
    assert draft is not None
    assert draft.text == age
    verdict = verify(draft, question, "bridge", evidence())
    assert (verdict.verified, verdict.reserve) == (True, None)


def test_a_bare_number_in_brackets_is_an_age_with_reserve() -> None:
    question = "How old is Ida Boe?"
    draft = find_stated_age(question, EvidenceIndex(evidence()))
    assert draft is not None
    assert draft.text == "39"
    verdict = verify(draft, question, "bridge", evidence())
    assert verdict.reserve == "no passage states it in so many words"


@pytest.mark.parametrize(
    "question",
    [
        "How old is Bo Reed?",
        "How old is Eva Ruud?",
        "How old is Lena Foss?",
        "How old is Tor Aas?",  # two are told
        "How far away is Bo Reed?",
        "How old is Ada Brandt?",
        "How old is Kai Lie?",
    ],
)
def test_nothing_else_is_an_age(question: str) -> None:
    assert find_stated_age(question, EvidenceIndex(evidence())) is None
