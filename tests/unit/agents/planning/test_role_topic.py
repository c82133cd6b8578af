from __future__ import annotations

import pytest

from hoptrail.agents.planning.role_topic import RoleTopic, joined_topic
from hoptrail.core.types import Chunk

QUESTION = "Who is the treasurer?"


def passage(title: str, text: str) -> Chunk:
    return Chunk("c", title, title, text, 0, len(text))


BOARD = passage("The board", "Office: Treasurer; Name: Joss Lindqvist")
INN = passage("Inn", "The landlady of the Red Lion is Berta Holt.")


def test_the_topic_of_a_joined_question_is_read() -> None:
    joined = joined_topic(QUESTION, "Who is the treasurer of the Red Lion?")

    assert joined == RoleTopic("treasurer", "the Red Lion")


@pytest.mark.parametrize("standalone", [QUESTION, "Who is Ann Lee?"])
def test_a_question_that_was_joined_to_nothing_has_no_topic(standalone: str) -> None:
    assert joined_topic(QUESTION, standalone) is None


def test_a_role_of_which_passages_tell_without_the_topic_is_of_another() -> None:
    assert RoleTopic("treasurer", "the Red Lion").is_of_another([BOARD, INN])


@pytest.mark.parametrize(
    "passages",
    [
        [INN],
        [BOARD, passage("Red Lion", "The treasurer is Ann Lee.")],
    ],
)
def test_a_role_is_the_topics_where_nothing_or_a_passage_of_both_tells_of_it(
    passages: list[Chunk],
) -> None:
    assert not RoleTopic("treasurer", "the Red Lion").is_of_another(passages)
