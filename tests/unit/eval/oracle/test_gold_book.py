from __future__ import annotations

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.oracle.gold_book import GoldBook
from hoptrail.eval.questions.question import Question


def question(name: str, text: str) -> Question:
    return Question(name, text, (("x",),), 1)


def test_marks_case_articles_and_white_space_do_not_matter() -> None:
    book = GoldBook([question("a", "Who built the Morning Tern?")])
    assert book.look_up(" who  built Morning Tern ").id == "a"


def test_questions_that_differ_in_capitals_alone_are_told_apart() -> None:
    book = GoldBook([question("a", "who is Rose?"), question("b", "Who is rose?")])
    assert book.look_up("Who is rose?").id == "b"


def test_a_question_that_it_does_not_know_is_an_error_that_shows_it() -> None:
    with pytest.raises(InputError, match="Who built the Grey Gull"):
        GoldBook([question("a", "Who?")]).look_up("Who built the Grey Gull?")
