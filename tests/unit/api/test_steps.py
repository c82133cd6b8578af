from __future__ import annotations

import pytest

from hoptrail.api.steps import reading_step, waiting_step
from hoptrail.core.types import ReadingEvent, WaitingEvent


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (ReadingEvent(900), "reading 900 tokens"),
        (ReadingEvent(900, 15.0), "reading 900 tokens, about 15 s"),
        (ReadingEvent(900, 15.0, 600), "reading 300 more tokens, about 5 s"),
        (ReadingEvent(900, 15.0, 900), "beginning to write"),
    ],
)
def test_how_far_a_model_has_read_is_told_in_words(event: ReadingEvent, words: str) -> None:
    assert reading_step(event) == words


@pytest.mark.parametrize(("ahead", "words"), [(1, "1 question"), (2, "2 questions")])
def test_a_question_is_told_how_many_come_before_it(ahead: int, words: str) -> None:
    assert waiting_step(WaitingEvent(ahead)) == f"waiting: {words} before this one"
