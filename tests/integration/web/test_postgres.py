"""Conversations in a real PostgreSQL server, shared by processes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest
from pydantic import SecretStr

from hoptrail import Hoptrail
from hoptrail.api.conversation_stores import PostgresConversations
from hoptrail.api.conversations import list_threads
from hoptrail.core.errors import KnowledgeBaseError, SettingsError, ThreadBusyError
from hoptrail.core.settings import Settings
from tests.postgres_server import postgres_server
from tests.ships import FACTS, QUESTION, hashing_settings, index_ships
from tests.waiting import wait_for
from tests.web_server import web_server

pytest.importorskip("psycopg", reason='needs pip install "hoptrail[postgres]"')
pytestmark = pytest.mark.slow

FOLLOW_UP = "Where was she born?"
OTHER_PROCESS = """if True:
    import sys
    from tests.ships import hashing_settings
    from hoptrail import Hoptrail
    folder, address, question = sys.argv[1:]
    settings = hashing_settings(checkpointer=address)
    with Hoptrail.open(folder, settings=settings, preset="offline") as hoptrail:
        print(hoptrail.ask(question, thread_id="shared").text)"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres_server() as running:
        yield running


@pytest.fixture
def settings(address: str) -> Settings:
    return hashing_settings(checkpointer=address)


@pytest.fixture
def hoptrail(ships: Path, settings: Settings) -> Iterator[Hoptrail]:
    with Hoptrail.open(ships, settings=settings, preset="offline") as opened:
        yield opened


def test_a_conversation_goes_on_in_another_process(
    hoptrail: Hoptrail, ships: Path, address: str
) -> None:
    assert hoptrail.ask(QUESTION, thread_id="shared").text == "Edda Thorn"

    command = [sys.executable, "-c", OTHER_PROCESS, str(ships), address, FOLLOW_UP]
    other = subprocess.run(command, check=True, capture_output=True, text=True)

    assert other.stdout.strip() == "Brackenholm"
    turns = hoptrail.turns("shared")
    assert [turn.answer.question for turn in turns] == [QUESTION, FOLLOW_UP]
    assert hoptrail.threads()[0].id == "shared"
    assert not (ships / "threads.sqlite").exists()


def test_a_thread_is_deleted_and_others_stay(hoptrail: Hoptrail) -> None:
    for name in ("one", "two"):
        hoptrail.ask(QUESTION, thread_id=name)

    hoptrail.delete_thread("one")

    assert hoptrail.thread("one") is None
    assert hoptrail.thread("two") is not None


async def test_one_turn_of_a_thread_runs_at_a_time(hoptrail: Hoptrail) -> None:
    questions = [QUESTION, "Where was Edda Thorn born?", "Who founded the Alder Yard?"]

    await asyncio.gather(*[hoptrail.aask(q, thread_id="at once") for q in questions])

    turns = await asyncio.to_thread(hoptrail.turns, "at once")
    assert sorted(turn.answer.question for turn in turns) == sorted(questions)


def test_a_thread_in_the_database_is_shared_by_a_link(
    ships: Path, settings: Settings, tmp_path: Path
) -> None:
    with web_server(tmp_path, {"ships": ships}, settings=settings) as server:
        client = server.client()
        asked = client.post("ask", json={"question": QUESTION, "thread": "new"}).json()
        place = f"threads/{asked['thread']}/share"
        token = client.post(place, json={}).json()["share"]["token"]

        turns = client.get(f"shared/{token}").json()["turns"]
        assert [turn["answer"]["answer"] for turn in turns] == ["Edda Thorn"]
        assert client.get("shared/%00").status_code == 404
        assert client.get("threads/%00").status_code == 404
        client.delete(f"threads/{asked['thread']}")
        assert client.get(f"shared/{token}").status_code == 404


async def test_a_turn_does_not_wait_for_ever_for_another(hoptrail: Hoptrail) -> None:
    conversations = hoptrail._conversations
    async with conversations.open_turn("busy", wait_seconds=1):
        with pytest.raises(ThreadBusyError, match="still answering"):
            await hoptrail.aask(QUESTION, thread_id="busy", max_seconds=0.2)


def test_a_database_that_went_away_is_told_as_a_store_that_may_come_back(
    ships: Path, tmp_path: Path
) -> None:
    with ExitStack() as running:
        away = hashing_settings(checkpointer=running.enter_context(postgres_server()))
        with web_server(tmp_path, {"ships": ships}, settings=away) as server:
            client = server.client()
            thread = client.post("ask", json={"question": QUESTION, "thread": "new"}).json()

            running.close()
            again = client.post("ask", json={"question": QUESTION, "thread": thread["thread"]})
            listed = client.get("threads")

    for refused in (again, listed):
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "store")


def test_bases_of_other_names_see_none_of_it(
    hoptrail: Hoptrail, settings: Settings, tmp_path: Path
) -> None:
    hoptrail.ask(QUESTION, thread_id="private")
    index_ships(tmp_path / "another", settings)
    with Hoptrail.open(tmp_path / "another", settings=settings, preset="offline") as other:
        assert other.threads() == []
        assert other.thread("private") is None


def test_the_quotes_of_deleted_documents_leave_the_database(
    settings: Settings, address: str, tmp_path: Path
) -> None:
    import psycopg

    def stored() -> bytes:
        with psycopg.connect(address) as connection:
            rows = connection.execute(
                "SELECT blob FROM checkpoint_blobs WHERE starts_with(thread_id, 'fading/')"
                " UNION ALL SELECT blob FROM checkpoint_writes"
                " WHERE starts_with(thread_id, 'fading/')"
            ).fetchall()
        return b"".join(blob for (blob,) in rows if blob)

    index_ships(tmp_path / "fading", settings)
    with Hoptrail.open(tmp_path / "fading", settings=settings, preset="offline") as hoptrail:
        hoptrail.ask(QUESTION, thread_id="talk")
        assert b"was founded by Edda Thorn" in stored()

        hoptrail.delete(["t/Alder Yard"])

        assert b"was founded by Edda Thorn" not in stored()
        assert FACTS["Morning Tern"].encode() in stored()
        assert hoptrail.ask(FOLLOW_UP, thread_id="talk").text == "Brackenholm"


def test_two_web_applications_share_their_threads(
    ships: Path, settings: Settings, tmp_path: Path
) -> None:
    with web_server(tmp_path / "a", {"ships": ships}, settings=settings) as one:
        asked = one.client().post("ask", json={"question": QUESTION, "thread": "new"}).json()
    with web_server(tmp_path / "b", {"ships": ships}, settings=settings) as two:
        client = two.client()
        listed = client.get("threads").json()["threads"]
        assert [thread["id"] for thread in listed] == [asked["thread"]]
        body = {"question": FOLLOW_UP, "thread": asked["thread"]}
        assert client.post("ask", json=body).json()["answer"] == "Brackenholm"


def test_processes_that_begin_at_once_make_the_tables_of_a_fresh_database(address: str) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE DATABASE fresh")
    fresh = f"{address.rpartition('/')[0]}/fresh"
    at_once = [PostgresConversations(fresh, "ships") for _ in range(4)]
    # Daemons: where they wait for each other they never end.
    threads = [Thread(target=list_threads, args=(one, 1), daemon=True) for one in at_once]

    for thread in threads:
        thread.start()

    wait_for(lambda: not any(map(Thread.is_alive, threads)), "they wait for each other", 30)
    assert [list_threads(one, 1) for one in at_once] == [[]] * 4


def test_a_database_that_is_not_there_is_told_without_its_password(ships: Path) -> None:
    settings = hashing_settings(checkpointer="postgresql://me:secret@127.0.0.1:1/x")
    with (
        Hoptrail.open(ships, settings=settings, preset="offline") as hoptrail,
        pytest.raises(KnowledgeBaseError, match="checkpointer") as told,
    ):
        hoptrail.ask(QUESTION, thread_id="x")

    assert "secret" not in str(told.value)


def test_another_kind_of_address_is_refused(ships: Path) -> None:
    settings = hashing_settings(checkpointer=SecretStr("mysql://x"))
    with (
        Hoptrail.open(ships, settings=settings, preset="offline") as hoptrail,
        pytest.raises(SettingsError, match="PostgreSQL"),
    ):
        hoptrail.ask(QUESTION, thread_id="x")
