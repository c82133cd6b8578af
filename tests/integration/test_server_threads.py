"""Threads on the server: whatever became of a turn, the next question is the one answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from hoptrail.core.settings import Settings
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.faults import hang
from hoptrail.testing.stub_server import Reply
from tests.serving import serving
from tests.ships import QUESTION, index_ships
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

OTHER = "Where was Edda Thorn born?"
SLOW = "Who painted the slow picture of the Morning Tern?"
OFFLINE = {"knowledge_base": "ships", "preset": "offline"}
WITH_MODEL = {"knowledge_base": "ships", "preset": "reasoning"}


def script(body: dict[str, Any]) -> Reply:
    if "slow picture" in str(body["messages"]):
        return hang()
    return "FINAL ANSWER: Brackenholm"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncLangGraphClient]:
    folder = tmp_path_factory.mktemp("server")
    index_ships(folder / "kb", Settings())
    with (
        OpenAIStubServer(script) as model,
        serving(
            folder,
            "--kb",
            "ships=kb",
            HOPTRAIL_MODEL="openai:stub",
            HOPTRAIL_BASE_URL=model.url,
        ) as process,
        get_sync_client(url=process.url) as client,
    ):
        yield client


@pytest.fixture
def thread(client: SyncLangGraphClient) -> str:
    return client.threads.create()["thread_id"]


def ask(client: SyncLangGraphClient, thread: str, given: dict[str, Any], **options: Any) -> Any:
    options.setdefault("context", OFFLINE)
    return client.runs.wait(thread, "hoptrail", input=given, **options)


def question(text: str) -> dict[str, Any]:
    return {"question": text}


def message(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def history(client: SyncLangGraphClient, thread: str) -> list[str]:
    """Return the texts of a thread, after checking that it holds whole turns only."""
    values: Any = client.threads.get_state(thread)["values"]
    kinds = [one["type"] for one in values["messages"]]
    assert kinds == ["human", "ai"] * (len(kinds) // 2)
    return [one["content"] for one in values["messages"]]


both_inputs = pytest.mark.parametrize("given", [question, message])


@both_inputs
def test_a_cancelled_run_does_not_answer_the_next_question(
    client: SyncLangGraphClient, thread: str, given: Any
) -> None:
    run = client.runs.create(thread, "hoptrail", input=given(SLOW), context=WITH_MODEL)
    wait_for_start(client, thread)
    client.runs.cancel(thread, run["run_id"], wait=True)

    values = ask(client, thread, question(OTHER))

    assert values["answer"]["question"] == OTHER
    assert history(client, thread)[0] == OTHER


def test_a_client_that_went_away_leaves_the_thread_to_the_next_question(
    client: SyncLangGraphClient, thread: str
) -> None:
    body = {
        "assistant_id": "hoptrail",
        "input": message(SLOW),
        "context": WITH_MODEL,
        "on_disconnect": "cancel",
        "stream_mode": "updates",
    }
    url = client.http.client.base_url.join(f"/threads/{thread}/runs/stream")
    with httpx.stream("POST", url, json=body) as response:
        next(response.iter_lines())

    values = ask(client, thread, question(OTHER))

    assert values["answer"]["question"] == OTHER
    assert history(client, thread)[0] == OTHER


@pytest.mark.parametrize("strategy", ["enqueue", "interrupt"])
def test_a_second_run_in_a_busy_thread_answers_its_own_question(
    client: SyncLangGraphClient, thread: str, strategy: Any
) -> None:
    slow = SLOW if strategy == "interrupt" else QUESTION
    client.runs.create(thread, "hoptrail", input=message(slow), context=WITH_MODEL)
    if strategy == "interrupt":
        wait_for_start(client, thread)

    values = ask(client, thread, message(OTHER), multitask_strategy=strategy)

    assert values["answer"]["question"] == OTHER
    assert history(client, thread)[-2] == OTHER


def test_a_question_does_not_wait_for_another_thread(
    client: SyncLangGraphClient, thread: str
) -> None:
    run = client.runs.create(thread, "hoptrail", input=message(SLOW), context=WITH_MODEL)
    wait_for_start(client, thread)

    values = ask(client, client.threads.create()["thread_id"], question(OTHER))

    assert values["answer"]["answer"] == "Brackenholm"
    assert client.runs.get(thread, run["run_id"])["status"] == "running"
    client.runs.cancel(thread, run["run_id"], wait=True)


def wait_for_start(client: SyncLangGraphClient, thread: str) -> None:
    """Wait until the turn under way has passed its first node."""

    def has_started() -> bool:
        values: Any = client.threads.get_state(thread)["values"]
        return bool(values and values.get("asked"))

    wait_for(has_started, "the run did not start")
