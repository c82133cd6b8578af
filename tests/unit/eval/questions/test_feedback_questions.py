"""Questions with gold answers out of what readers said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import InputError
from hoptrail.core.types import Feedback
from hoptrail.eval.questions.feedback_questions import feedback_questions
from hoptrail.eval.questions.reader import load_questions
from tests.ships import QUESTION, hashing_settings, index_ships

BIRTH = "Where was Edda Thorn born?"
NOWHERE = "Who painted the Morning Tern?"


@pytest.fixture(scope="module")
def hoptrail(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("ships")
    index_ships(folder, hashing_settings())
    with Hoptrail.open(folder, settings=hashing_settings(), preset="offline") as opened:
        yield opened


@pytest.fixture(scope="module")
def entries(hoptrail: Hoptrail) -> list[Feedback]:
    """Three questions, the latest first: a good answer, a correction, a good abstention."""
    hoptrail.feedback(hoptrail.ask(NOWHERE), "good")
    hoptrail.feedback(hoptrail.ask(BIRTH), "bad", correction="Brackenholm, Dorrin")
    hoptrail.feedback(hoptrail.ask(QUESTION), "good")
    return hoptrail.feedback_entries()


def rows(text: str) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in json.loads(line).items() if name != "id"}
        for line in text.splitlines()
    ]


def test_corrections_and_good_answers_are_gold(
    hoptrail: Hoptrail, entries: list[Feedback], tmp_path: Path
) -> None:
    asked = feedback_questions(entries, hoptrail.stored, None)

    assert rows(asked.text) == [
        {
            "question": QUESTION,
            "answer": "Edda Thorn",
            "supporting_ids": ["t/Morning Tern", "t/Alder Yard"],
        },
        {"question": BIRTH, "answer": "Brackenholm, Dorrin"},
        {"question": NOWHERE, "answer": "Insufficient information"},
    ]
    assert asked.left_out == ()
    file = tmp_path / "questions.jsonl"
    file.write_text(asked.text, encoding="utf-8")
    assert [one.is_unanswerable for one in load_questions(file)] == [False, False, True]


def test_the_latest_word_on_a_question_holds(hoptrail: Hoptrail, entries: list[Feedback]) -> None:
    later = replace(entries[0], id="later", correction="Ida Holm", verdict="bad")

    asked = feedback_questions([later, entries[0]], hoptrail.stored, None)

    assert rows(asked.text) == [{"question": QUESTION, "answer": "Ida Holm"}]
    assert asked.left_out == ("left out: 1 on a question that was judged again later",)


def test_what_has_no_right_answer_is_left_out_and_told(
    hoptrail: Hoptrail, entries: list[Feedback]
) -> None:
    bad = replace(entries[0], verdict="bad")

    asked = feedback_questions([bad, entries[1]], hoptrail.stored, None)

    assert [row["question"] for row in rows(asked.text)] == [BIRTH]
    assert "1 without a right answer" in asked.left_out[0]
    with pytest.raises(InputError, match="no feedback tells a right answer"):
        feedback_questions([bad], hoptrail.stored, None)


def test_what_was_asked_under_another_filter_is_left_out(
    hoptrail: Hoptrail, entries: list[Feedback]
) -> None:
    answer = replace(entries[0].answer, filter={"field": "title", "eq": "Morning Tern"})

    asked = feedback_questions(
        [replace(entries[0], answer=answer), entries[1]], hoptrail.stored, None
    )

    assert [row["question"] for row in rows(asked.text)] == [BIRTH]
    assert "1 asked under another filter" in asked.left_out[0]


def test_documents_that_changed_since_are_no_gold(
    hoptrail: Hoptrail, entries: list[Feedback]
) -> None:
    before = replace(entries[0], documents={**entries[0].documents, "t/Alder Yard": "other"})

    asked = feedback_questions([before], hoptrail.stored, None)

    assert rows(asked.text) == [{"question": QUESTION, "answer": "Edda Thorn"}]
