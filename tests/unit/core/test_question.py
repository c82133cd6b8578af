from __future__ import annotations

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.question import check_question, particular_words, question_key


@pytest.mark.parametrize(
    "question",
    [
        "What are the top themes in this story?",
        "Who are the main characters, and how do they relate to each other?",
        "Summarize the key events and conflicts of the book.",
    ],
)
def test_a_question_about_any_collection_has_no_words_of_its_own(question: str) -> None:
    assert particular_words(question) == []


def test_what_a_question_is_about_is_left() -> None:
    assert particular_words("What are the main themes of the salt trade?") == ["salt", "trade"]


@pytest.mark.parametrize("question", [5, None, ["Who?"], {"text": "Who?"}])
def test_a_question_that_is_no_text_is_refused(question: object) -> None:
    with pytest.raises(InputError, match="no text"):
        check_question(question)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who built it?", " who  built IT "),
        ("Who built Ana’s ship?", "who built ana's ship"),
        ("¿Quién la fundó?", "quién la fundó"),
        ("誰が建てた？", "誰が建てた"),
    ],
)
def test_two_askings_of_a_question_have_one_key(one: str, other: str) -> None:
    assert question_key(one) == question_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is C++?", "What is C?"),
        ("Is it -5 °C?", "Is it 5 °C?"),
        ("Who is he?", "Who is she?"),
    ],
)
def test_other_questions_have_another_key(one: str, other: str) -> None:
    assert question_key(one) != question_key(other)
