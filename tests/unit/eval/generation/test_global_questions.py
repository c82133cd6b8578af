from __future__ import annotations

import pytest

from hoptrail.eval.generation.global_questions import distinct_questions, make_question


@pytest.mark.parametrize(
    "text",
    [
        "1. How do rivers shape towns?",
        "- How do rivers  shape towns?",
        "(2) How do rivers shape towns?",
    ],
)
def test_marks_of_a_list_are_no_part_of_a_question(text: str) -> None:
    made = make_question(text, "teacher", "Prepare a lesson.")
    assert made is not None
    assert made.question == "How do rivers shape towns?"


def test_case_and_punctuation_do_not_change_the_id() -> None:
    first = make_question("How do rivers shape towns?", "teacher", "a")
    second = make_question("how do Rivers shape the towns", "pilot", "b")
    other = make_question("How do rivers shape trade?", "teacher", "a")
    assert first is not None and second is not None and other is not None
    assert first.id == second.id != other.id


def test_texts_of_the_same_words_are_one() -> None:
    texts = ["How do rivers shape towns?", "How do towns shape rivers?", "Why do rivers flood?"]
    assert distinct_questions(texts) == [0, 2]


def test_one_other_word_makes_a_text_distinct() -> None:
    longer = "Which kinds of {} helped river towns to grow, trade and defend themselves over time?"
    assert distinct_questions([longer.format("bridges"), longer.format("harbours")]) == [0, 1]


def test_texts_without_content_words_are_one() -> None:
    assert distinct_questions(["Why?", "How?"]) == [0]
