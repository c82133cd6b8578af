from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.stated_value import find_stated_value
from hoptrail.agents.verification.verifier import verify
from tests.unit.agents.conftest import evidence_of, index_of


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("Who is the insurer?", "Northgate Mutual", "Insured: Reed Ltd\nInsurer: Northgate Mutual"),
        (
            "What is the wifi password?",
            "tackhammer74",
            "The wifi password of the workshop is tackhammer74. The bin day is Thursday.",
        ),
        ("When is the bin day?", "Thursday", "The bin day is Thursday. The key hangs by the door."),
        (
            "Where is the first aid box?",
            "under the stairs",
            "The first aid box is under the stairs.",
        ),
        ("How much is the premium?", "£3,870", "The annual premium is £3,870, in two parts."),
        (
            "What is the registration of the van?",
            "YD19 KPF",
            "Ford Transit Custom, registration YD19 KPF. Colour white.",
        ),
    ],
)
def test_property_that_a_text_states_is_a_plain_answer(
    question: str, answer: str, text: str
) -> None:
    evidence = evidence_of(text, title="The van")
    draft = find_stated_value(question, EvidenceIndex(evidence))

    assert draft is not None
    assert draft.answers == (answer,)
    assert [hop.support for hop in verify(draft, question, "bridge", evidence).trail.hops] == [
        "stated"
    ]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is the landlord?", "The landlord is represented by his agent, Joan Feather."),
        ("Who is the tenant?", "The tenant repairs windows and doors."),
        ("Who is Sabine?", "Our people\n\nSabine Ferraro"),
        ("Who is Rosa Lind?", "On Wed, 8 May 2024 at 10:05, Rosa Lind wrote:"),
        ("What is the alarm code?", "The wifi password of the workshop is tackhammer74."),
        ("What is the wifi password of the office?", "The wifi password is tackhammer74."),
        ("When is the bin day?", "The bin day is not Thursday."),
        ("Where is the mast?", "The mast is bent."),
        ("Who is the insurer?", "Insurer: see below"),
        ("When did the insurer pay?", "Insurer: Northgate Mutual"),
    ],
)
def test_what_is_not_stated_is_left_to_others(question: str, text: str) -> None:
    assert find_stated_value(question, index_of(text)) is None


def test_texts_that_state_different_values_give_no_answer() -> None:
    index = index_of("The wifi password is tackhammer74.", "The wifi password is sofa9001x.")

    assert find_stated_value("What is the wifi password?", index) is None


def test_a_clause_behind_a_word_is_no_value_of_it() -> None:
    text = "It was bought at Fenwick Ironmongers. Fenwick Ironmongers is owned by\nBo Voss."
    question = "Who is the owner of Fenwick Ironmongers?"

    assert find_stated_value(question, index_of(text)) is None
