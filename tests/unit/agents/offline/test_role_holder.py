from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.role_holder import answer_for_holder, find_role_holder
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types.draft import Draft, HopClaim
from tests.unit.agents.conftest import evidence_of, index_of


@pytest.mark.parametrize(
    "text",
    [
        "Ruth Feldman (treasurer) keeps the accounts. The chair is Bo Reed.",
        "Ruth Feldman, our treasurer, keeps the accounts.",
        "Present: Bo Reed (chair), Ruth Feldman (treasurer), Ann Holt.",
        "Our treasurer Ruth Feldman keeps the accounts.",
        "chair: Bo Reed\ntreasurer: Ruth Feldman",
        "Ruth Feldman - treasurer",
        "Our treasurer is Ruth Feldman.",
    ],
)
def test_name_with_the_role_beside_it_is_a_plain_answer(text: str) -> None:
    question = "Who is the treasurer of the rowing club?"
    evidence = evidence_of(text, title="Rowing club")
    draft = find_role_holder(question, EvidenceIndex(evidence))
    assert draft is not None
    assert draft.text == "Ruth Feldman"
    verdict = verify(draft, question, "bridge", evidence)
    assert verdict.verified
    assert verdict.reserve is None


@pytest.mark.parametrize(
    "question",
    [
        "Who is treasurer?",
        "Who was the treasurer in March?",
        "Who is the treasurer now?",
    ],
)
def test_the_time_of_a_question_is_no_part_of_the_role(question: str) -> None:
    draft = find_role_holder(question, index_of("Ruth Feldman (treasurer) came."))
    assert draft is not None
    assert draft.text == "Ruth Feldman"


@pytest.mark.parametrize(
    "texts",
    [
        ("Ruth Feldman (deputy treasurer) keeps the accounts.",),
        ("Ruth Feldman (treasurer until 2019) kept the accounts.",),
        ("Ruth Feldman (treasurer) came.", "Bo Reed (treasurer) came."),
        ("Our treasurer's friend Ruth Feldman came.",),
        ("The treasurer of Alding is Ruth Feldman.",),
    ],
)
def test_other_roles_and_two_holders_give_no_answer(texts: tuple[str, ...]) -> None:
    assert find_role_holder("Who is the treasurer?", index_of(*texts)) is None


def test_role_in_another_body_gives_no_answer() -> None:
    index = index_of("Ruth Feldman (treasurer) came.")
    assert find_role_holder("Who is the treasurer of the school?", index) is None


PRESENT = "Present: Bo Reed (chair), Ruth Feldman (treasurer)."


def told(question: str) -> Draft:
    """Answer only what is asked of Ruth Feldman by name."""
    if "Ruth Feldman" not in question:
        return Draft("graph_search")
    return Draft("graph_search", (question,), hops=(HopClaim("Ruth Feldman", "Phone", "12"),))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is the treasurer's phone number?", "What is Ruth Feldman's phone number?"),
        ("When did our treasurer join?", "When did Ruth Feldman join?"),
        (
            "Where does the treasurer of the rowing club live?",
            "Where does Ruth Feldman live?",
        ),
    ],
)
def test_what_is_asked_of_a_role_is_asked_of_the_person_who_holds_it(
    question: str, asked: str
) -> None:
    index = index_of(PRESENT, title="Rowing club")

    draft = answer_for_holder(question, index, told)

    assert draft is not None
    assert draft.text == asked
    assert draft.hops[0] == HopClaim("Ruth Feldman", "is", "treasurer", "c1")


@pytest.mark.parametrize(
    "question",
    [
        "What is the webmaster's phone number?",
        "Where does the deputy treasurer live?",
        "Where does the treasurer of the chess society live?",
        "What is the phone number?",
    ],
)
def test_nobody_is_asked_for_a_role_that_nobody_is_told_to_hold(question: str) -> None:
    index = index_of(PRESENT, title="Rowing club")

    assert answer_for_holder(question, index, told) is None
