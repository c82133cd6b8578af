from __future__ import annotations

import pytest

from hoptrail.agents.language.plural_question import asks_for_several, asks_which_several


@pytest.mark.parametrize(
    "question",
    ["Which films does Ann Lee like?", "Who are the trustees?", "Which ships were built here?"],
)
def test_grammar_asks_for_more_than_one(question: str) -> None:
    assert asks_which_several(question)
    assert asks_for_several(question)


@pytest.mark.parametrize(
    "question",
    ["Who is on the committee?", "What are the prizes?", "List the members of the band."],
)
def test_a_list_may_answer(question: str) -> None:
    assert asks_for_several(question)
    assert not asks_which_several(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who is the treasurer?",
        "Which film did Ann Lee direct?",
        "Which bus does Ann take?",
        "Who won?",
    ],
)
def test_one_is_asked_for(question: str) -> None:
    assert not asks_for_several(question)
