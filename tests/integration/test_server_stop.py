"""How `hoptrail serve` ends, and what `--studio` opens."""

from __future__ import annotations

import http.client
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client

from hoptrail.core.settings import Settings
from hoptrail.testing import Fault, OpenAIStubServer
from tests.serving import ServerProcess, serving
from tests.ships import QUESTION, REPLY, index_ships
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to stop it by"),
]

STUDIO = "https://smith.langchain.com"


class SlowModel:
    """A model whose answers take their time; `asked` is set when the first is asked for."""

    def __init__(self, seconds: float) -> None:
        self.asked = threading.Event()
        self._seconds = seconds

    def __call__(self, body: dict[str, Any]) -> str | Fault:
        if "FINAL ANSWER" not in str(body["messages"]):
            return "bridge"
        self.asked.set()
        return Fault(text=REPLY, delay=self._seconds)


class Question:
    """A question in a thread of its own: the events so far, and the error that ended it."""

    def __init__(self, server: ServerProcess) -> None:
        self.events: list[Any] = []
        self._url = server.url
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        with get_sync_client(url=self._url) as client:
            thread = client.threads.create()["thread_id"]
            try:
                for event in client.runs.stream(
                    thread,
                    "hoptrail",
                    input={"question": QUESTION},
                    context={"preset": "reasoning"},
                    stream_mode="values",
                ):
                    self.events.append(event)
            except Exception as error:
                self.events.append(error)

    def wait(self) -> list[Any]:
        self._thread.join(timeout=60)
        return self.events


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    index_ships(tmp_path / "kb", Settings())
    return tmp_path


def start(folder: Path, model: OpenAIStubServer, *options: str) -> Any:
    return serving(
        folder,
        "--kb",
        "ships=kb",
        *options,
        HOPTRAIL_MODEL="openai:stub",
        HOPTRAIL_BASE_URL=model.url,
    )


@pytest.fixture
def slow_model() -> Iterator[tuple[SlowModel, OpenAIStubServer]]:
    script = SlowModel(4)
    with OpenAIStubServer(script) as model:
        yield script, model


def test_sigterm_lets_the_running_answer_finish_and_leaves_nothing(
    folder: Path, slow_model: tuple[SlowModel, OpenAIStubServer]
) -> None:
    script, model = slow_model
    with start(folder, model, "--studio") as server:
        _check_studio(server)
        question = Question(server)
        assert script.asked.wait(60)

        server.signal(signal.SIGTERM)
        events = question.wait()

        assert events[-1].data["answer"]["answer"] == "Edda Thorn"
        assert server.wait() == 0
        assert server.own_folders == []
        assert "finishing 1 answer" in server.log


def _check_studio(server: ServerProcess) -> None:
    asked = _headers(
        server,
        "OPTIONS",
        {
            "Origin": STUDIO,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,x-auth-scheme",
            "Access-Control-Request-Private-Network": "true",
        },
    )
    answered = _headers(server, "POST", {"Origin": STUDIO, "Content-Type": "application/json"})
    foreign = _headers(
        server, "POST", {"Origin": "http://evil.example", "Content-Type": "application/json"}
    )

    assert asked["status"] == "200"
    assert asked["access-control-allow-origin"] == STUDIO
    assert asked["access-control-allow-private-network"] == "true"
    assert "x-auth-scheme" in asked["access-control-allow-headers"]
    assert answered["status"] == "200"
    assert answered["access-control-allow-origin"] == STUDIO
    assert foreign["status"] == "403"
    assert not [name for name in foreign if name.startswith("access-control")]
    assert f"Studio: {STUDIO}/studio/?baseUrl={server.url}" in server.log


def _headers(server: ServerProcess, method: str, headers: dict[str, str]) -> dict[str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, "/threads", None if method == "OPTIONS" else "{}", headers)
        reply = connection.getresponse()
        reply.read()
        given = {name.lower(): value for name, value in reply.getheaders()}
        return {**given, "status": str(reply.status)}
    finally:
        connection.close()


def test_ctrl_c_waits_no_longer_than_the_grace(folder: Path) -> None:
    script = SlowModel(300)
    with OpenAIStubServer(script) as model, start(folder, model, "--grace", "1") as server:
        question = Question(server)
        assert script.asked.wait(60)

        server.signal(signal.SIGINT)

        assert server.wait() == 0
        assert server.own_folders == []
        assert "cut off 1 unfinished answer" in server.log
        question.wait()


def test_a_second_ctrl_c_stops_at_once(folder: Path) -> None:
    script = SlowModel(300)
    with OpenAIStubServer(script) as model, start(folder, model, "--grace", "300") as server:
        question = Question(server)
        assert script.asked.wait(60)

        server.signal(signal.SIGINT)
        wait_for(lambda: "finishing 1 answer" in server.log, lambda: server.log)
        server.signal(signal.SIGINT)

        assert server.wait() == 130
        assert server.own_folders == []
        question.wait()


def test_sigterm_ends_a_stream_that_only_watches(folder: Path) -> None:
    with OpenAIStubServer(REPLY) as model, start(folder, model, "--grace", "300") as server:
        with get_sync_client(url=server.url) as client:
            thread = client.threads.create()["thread_id"]
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", f"/threads/{thread}/stream")
        reply = connection.getresponse()
        assert reply.status == 200

        server.signal(signal.SIGTERM)

        assert server.wait() == 0
        connection.close()
