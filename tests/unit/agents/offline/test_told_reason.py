from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.answerer import search_answer
from hoptrail.agents.offline.told_reason import asks_for_reason, find_reason
from hoptrail.agents.verification.verifier import verify
from tests.unit.agents.conftest import evidence_of, index_of

CLUB = """# The walking club

The autumn walk has been moved to 24 October because the path along the Brill is flooded.
The hut was closed in 2019 due to damp. As the bus is late, we meet at the mill.
Dogs must be kept on a lead to protect the lambs. The quiz was put off.
The fee was not raised because of the new roof. The office has been closed since the spring.
Ines Calder resigned as secretary because she moved to Lisbon.
The pass is as high as the tower is. The barn was used as a hospital in the war.
"""


EVIDENCE = evidence_of(CLUB, title="News", doc_id="club/news.md")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Why was the autumn walk moved?", "the path along the Brill is flooded"),
        (
            "Why has the autumn walk been moved to 24 October?",
            "the path along the Brill is flooded",
        ),
        ("Why was the hut closed?", "damp"),
        ("Why did Ines Calder resign as secretary?", "she moved to Lisbon"),
        ("Why must dogs be kept on a lead?", "to protect the lambs"),
    ],
)
def test_reason_is_read_where_a_sentence_gives_it(question: str, reason: str) -> None:
    draft = search_answer(question, "bridge", EVIDENCE)
    verdict = verify(draft, question, "bridge", EVIDENCE)

    assert draft.answers == (reason,)
    assert [hop.support for hop in verdict.trail.hops] == ["stated"]
    assert verdict.reserve is None


@pytest.mark.parametrize(
    "question",
    [
        "Why was the quiz put off?",
        "Why was the fee raised?",
        "Why was the hut built?",
        "Why does Ann Lund lead the walk?",
    ],
)
def test_no_name_and_no_other_reason_answers_why(question: str) -> None:
    assert search_answer(question, "bridge", EVIDENCE).abstained


@pytest.mark.parametrize(
    ("question", "reason", "reserve"),
    [
        ("Why was the hut shut in 2019?", "damp", 'the passage says nothing of "shut"'),
        ("Why can't a fire be lit in the hut?", "the roof is of straw", ""),
    ],
)
def test_reason_of_what_is_said_in_other_words_or_denied(
    question: str, reason: str, reserve: str
) -> None:
    text = (
        "The hut was closed in 2019 due to damp. "
        "A fire cannot be lit in the hut because the roof is of straw."
    )
    draft = find_reason(question, index_of(text))

    assert (draft.answers, draft.reserve) == ((reason,), reserve)


def test_a_reason_is_asked_for_by_why() -> None:
    assert asks_for_reason("Why is it closed?")
    assert asks_for_reason("What is the reason for the delay?")
    assert not asks_for_reason("When is it closed?")


def test_a_question_that_names_nothing_has_no_reason() -> None:
    assert find_reason("Why?", EvidenceIndex(EVIDENCE)).abstained
