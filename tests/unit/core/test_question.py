from __future__ import annotations

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.question import check_question, particular_words


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
