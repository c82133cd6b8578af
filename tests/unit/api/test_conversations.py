"""Conversations through the Python interface, with their real SQLite file."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from hoptrail import Hoptrail
from hoptrail.api.conversation_stores import SqliteConversations
from hoptrail.core.errors import KnowledgeBaseError, ThreadBusyError, UnknownNameError
from hoptrail.core.types import AnswerEvent, NodeEvent
from tests.ships import QUESTION

OTHER = "Where was Edda Thorn born?"
THIRD = "Who founded the Alder Yard?"


def history(ships: Path, thread: str) -> list[str]:
    """Return the texts of a stored thread, after checking that it holds whole turns only."""
    config: Any = {"configurable": {"thread_id": thread}}
    with SqliteSaver.from_conn_string(str(ships / "threads.sqlite")) as saver:
        stored = saver.get_tuple(config)
    messages = [] if stored is None else stored.checkpoint["channel_values"].get("messages", [])
    kinds = [message.type for message in messages]
    assert kinds == ["human", "ai"] * (len(kinds) // 2)
    return [message.text for message in messages]


def test_a_stream_left_at_the_answer_has_stored_its_turn(hoptrail: Hoptrail, ships: Path) -> None:
    answers = []
    for question in (QUESTION, OTHER, THIRD):
        for event in hoptrail.stream(question, thread_id="left"):
            if isinstance(event, AnswerEvent):
                answers.append(event.answer.text)
                break

    assert answers == ["Edda Thorn", "Brackenholm", "Edda Thorn"]
    assert history(ships, "left")[::2] == [QUESTION, OTHER, THIRD]


@pytest.mark.parametrize("node", ["contextualize", "retrieve", "verify"])
def test_a_stream_left_before_the_answer_is_forgotten(
    hoptrail: Hoptrail, ships: Path, node: str
) -> None:
    for event in hoptrail.stream(QUESTION, thread_id=node):
        if isinstance(event, NodeEvent) and event.node == node:
            break

    assert hoptrail.ask(OTHER, thread_id=node).question == OTHER
    assert history(ships, node) == [OTHER, "Brackenholm"]


async def test_a_cancelled_turn_leaves_the_thread_to_the_next_question(
    hoptrail: Hoptrail, ships: Path
) -> None:
    task = asyncio.create_task(hoptrail.aask(QUESTION, thread_id="cancelled"))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    answer = await hoptrail.aask(OTHER, thread_id="cancelled")

    assert answer.text == "Brackenholm"
    assert history(ships, "cancelled") == [OTHER, "Brackenholm"]


async def test_turns_asked_at_once_in_one_thread_are_all_kept(
    hoptrail: Hoptrail, ships: Path
) -> None:
    questions = [QUESTION, OTHER, THIRD]

    answers = await asyncio.gather(*[hoptrail.aask(q, thread_id="at once") for q in questions])

    assert [answer.question for answer in answers] == questions
    assert sorted(history(ships, "at once")[::2]) == sorted(questions)


def test_turns_of_several_system_threads_in_one_thread_are_all_kept(
    hoptrail: Hoptrail, ships: Path
) -> None:
    questions = [QUESTION, OTHER, THIRD]
    askers = [
        threading.Thread(target=hoptrail.ask, args=(question,), kwargs={"thread_id": "shared"})
        for question in questions
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()

    assert sorted(history(ships, "shared")[::2]) == sorted(questions)


async def test_a_turn_does_not_wait_for_ever_for_another(hoptrail: Hoptrail, ships: Path) -> None:
    conversations = SqliteConversations(ships / "threads.sqlite")
    async with conversations.open_turn("busy", wait_seconds=1):
        with pytest.raises(ThreadBusyError, match="still answering"):
            await hoptrail.aask(QUESTION, thread_id="busy", max_seconds=0.2)
        assert (await hoptrail.aask(QUESTION, thread_id="free")).text == "Edda Thorn"


async def test_a_turn_that_was_stopped_while_it_wrote_keeps_no_other_from_writing(
    ships: Path,
) -> None:
    conversations = SqliteConversations(ships / "threads.sqlite")
    ships.mkdir(exist_ok=True)
    columns = "thread_id, checkpoint_id, task_id, idx, channel"
    write = f"INSERT INTO writes ({columns}) VALUES (?, '1', '1', 0, 'channel')"
    async with conversations.open_turn("stopped", wait_seconds=1) as saver:
        assert isinstance(saver, AsyncSqliteSaver)
        await saver.setup()
        # What a cancelled task leaves behind: neither committed nor closed.
        unfinished = await saver.conn.executemany(write, [("stopped",)])

    async with conversations.open_turn("next", wait_seconds=1) as saver:
        assert isinstance(saver, AsyncSqliteSaver)
        await saver.conn.execute("PRAGMA busy_timeout = 0")
        await saver.conn.execute(write, ("next",))
        await saver.conn.commit()
    del unfinished


async def test_a_turn_that_cannot_be_kept_says_why(tmp_path: Path) -> None:
    (tmp_path / "threads.locks").write_text("a file where the folder should be")
    conversations = SqliteConversations(tmp_path / "threads.sqlite")
    with pytest.raises(KnowledgeBaseError, match=r"cannot be kept in .*: File exists"):
        async with conversations.open_turn("new", wait_seconds=1):
            pass


async def test_a_turn_whose_file_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "threads.sqlite").mkdir()
    conversations = SqliteConversations(tmp_path / "threads.sqlite")
    with pytest.raises(KnowledgeBaseError, match=r"cannot be kept in .*: unable to open"):
        async with conversations.open_turn("new", wait_seconds=1):
            pass


@pytest.mark.parametrize("kept", [100, 8192])
def test_conversations_that_are_damaged_are_told_of(
    hoptrail: Hoptrail, ships: Path, kept: int
) -> None:
    hoptrail.ask(QUESTION, thread_id="cut")
    path = ships / "threads.sqlite"
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    try:
        with pytest.raises(KnowledgeBaseError, match="threads.sqlite cannot be read"):
            hoptrail.threads()
        with pytest.raises(KnowledgeBaseError, match="conversations cannot be kept"):
            hoptrail.ask(QUESTION, thread_id="cut")
        assert hoptrail.ask(QUESTION).text == "Edda Thorn"
    finally:
        path.write_bytes(whole)


@pytest.fixture(autouse=True)
def no_threads(ships: Path) -> None:
    (ships / "threads.sqlite").unlink(missing_ok=True)


def test_without_a_conversation_nothing_is_listed_or_made(hoptrail: Hoptrail, ships: Path) -> None:
    assert hoptrail.threads() == []
    assert hoptrail.thread("any") is None
    assert not (ships / "threads.sqlite").exists()


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
