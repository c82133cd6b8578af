"""The answers that readers saved, found by their question."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from hoptrail.core.types import Citation, SavedAnswer, Trail, TrailHop
from hoptrail.stores.feedback import FEEDBACK_NAME, FeedbackFile
from hoptrail.stores.saved_answers import _FOR_READER, SavedAnswers

SAVED = SavedAnswer(
    "a",
    "Who founded the Alder Yard?",
    "Edda Thorn",
    "ana",
    "2026-01-01T00:00:00",
    shared=False,
    corrected=True,
    documents={"t/yard": "0f"},
    trail=Trail((TrailHop(1, "the yard was founded by Edda Thorn", doc_id="t/yard"),)),
    citations=(Citation("c", "t/yard", "Yard", 0, 4, "text"),),
)


@pytest.fixture
def saved(tmp_path: Path) -> SavedAnswers:
    return SavedAnswers(FeedbackFile(tmp_path))


def test_a_saved_answer_is_found_by_its_question_in_any_case(saved: SavedAnswers) -> None:
    saved.put(SAVED)

    assert saved.for_question("  who FOUNDED the alder\nyard ", "ana") == SAVED
    assert saved.for_question("Who founded the Alder Yards?", "ana") is None


def test_it_is_given_to_its_reader_alone_or_to_all(saved: SavedAnswers) -> None:
    saved.put(SAVED)
    assert saved.for_question(SAVED.question, "ben") is None

    shared = replace(SAVED, id="b", reader="cem", shared=True, text="Ida Holm")
    saved.put(shared)

    assert saved.for_question(SAVED.question, "ben") == shared
    assert saved.for_question(SAVED.question, "ana") == SAVED


def test_a_reader_has_one_answer_for_a_question(saved: SavedAnswers) -> None:
    saved.put(SAVED)
    saved.put(replace(SAVED, id="b", question="who founded the alder yard", text="Ida Holm"))

    assert [one.id for one in saved.latest()] == ["b"]
    assert (saved.remove("b"), saved.remove("b")) == (True, False)


def test_it_stands_until_a_document_behind_it_changes_or_goes() -> None:
    two = replace(SAVED, documents={"t/yard": "0f", "t/ship": "1a"})

    assert two.note({"t/yard": "0f", "t/ship": "1a"}).stands
    changed = two.note({"t/yard": "0e", "t/ship": "1a"})
    assert (changed.stands, changed.changed, changed.deleted) == (False, ("t/yard",), ())
    gone = two.note({"t/yard": "0f"})
    assert (gone.stands, gone.changed, gone.deleted) == (False, (), ("t/ship",))


def test_of_many_saved_answers_none_is_read_but_the_one_asked_for(
    saved: SavedAnswers, tmp_path: Path
) -> None:
    saved.put(SAVED)
    query = f"EXPLAIN QUERY PLAN SELECT id FROM saved_answers {_FOR_READER}"
    with closing(sqlite3.connect(tmp_path / FEEDBACK_NAME)) as file:
        rows = "INSERT INTO saved_answers SELECT NULL, ?1, ?1, ?1, 'q', 'ben', '', 1, 0, '{}', '{}'"
        file.executemany(rows, [(f"question {number}",) for number in range(10_000)])
        file.commit()
        plan = " ".join(row[3] for row in file.execute(query, ("q", "ana", "ana")))

    assert "SEARCH saved_answers USING INDEX" in plan
    assert "SCAN" not in plan
    assert saved.for_question(SAVED.question, "ana") == SAVED
