from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import UnknownNameError
from tests.ships import QUESTION

OTHER = "Where was Edda Thorn born?"


@pytest.fixture(autouse=True)
def no_threads(folder: Path) -> None:
    (folder / "threads.sqlite").unlink(missing_ok=True)


def test_without_a_conversation_nothing_is_listed_or_made(hoptrail: Hoptrail, folder: Path) -> None:
    assert hoptrail.threads() == []
    assert hoptrail.thread("any") is None
    assert not (folder / "threads.sqlite").exists()


def test_the_latest_comes_first(hoptrail: Hoptrail) -> None:
    for thread_id in ("first", "second", "first"):
        hoptrail.ask(QUESTION, thread_id=thread_id)

    assert [(one.id, one.turns) for one in hoptrail.threads()] == [("first", 2), ("second", 1)]
    assert [one.id for one in hoptrail.threads(limit=1)] == ["first"]


def test_a_thread_knows_its_first_question_and_its_last_answer(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="ships")
    answer = hoptrail.ask(OTHER, thread_id="ships")

    thread = hoptrail.thread("ships")
    assert thread is not None
    assert thread.first_question == QUESTION
    assert thread.answer == answer


def test_a_conversation_without_an_answer_is_none(hoptrail: Hoptrail) -> None:
    for event in hoptrail.stream(QUESTION, thread_id="left"):
        if event.type == "node":
            break

    assert hoptrail.threads() == []


def test_a_stopped_question_leaves_the_turns_before_it(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="ships")
    for event in hoptrail.stream(OTHER, thread_id="ships"):
        if event.type == "node":
            break

    thread = hoptrail.thread("ships")
    assert thread is not None
    assert thread.turns == 1


def test_a_deleted_conversation_is_gone(hoptrail: Hoptrail) -> None:
    for thread_id in ("kept", "gone"):
        hoptrail.ask(QUESTION, thread_id=thread_id)
    hoptrail.delete_thread("gone")

    assert [one.id for one in hoptrail.threads()] == ["kept"]


def test_deleting_what_is_not_there_names_what_is(hoptrail: Hoptrail) -> None:
    hoptrail.ask(QUESTION, thread_id="ships")

    with pytest.raises(UnknownNameError, match="did you mean 'ships'"):
        hoptrail.delete_thread("ship")
