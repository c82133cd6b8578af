"""`hoptrail serve-llm` as a process of its own, with OpenAI clients, disconnects and signals."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import (
    APIError,
    AuthenticationError,
    InternalServerError,
    NotFoundError,
    OpenAI,
)

from hoptrail.models.embedder import load_embedder
from hoptrail.models.graph_llm.base_model import load_base_model
from hoptrail.models.graph_llm.checkpoint import save_checkpoint
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.testing.tiny_llama import write_tiny_base
from tests.commands import Command
from tests.servers.processes import free_port
from tests.waiting import wait_for, wait_until_ready

pytestmark = pytest.mark.slow

GRAPH = {"nodes": ["Ane Lund", "Varde", ""], "edges": [[0, "born in", 1], [1, "lies in", 2]]}
LONG = 400


class Server:
    """A running server."""

    def __init__(self, process: Command, url: str) -> None:
        self.process = process
        self.url = url

    def client(self, key: str = "none") -> OpenAI:
        return OpenAI(base_url=f"{self.url}/v1", api_key=key, max_retries=0)

    def health(self) -> dict[str, Any]:
        health: dict[str, Any] = httpx.get(f"{self.url}/health").json()
        return health

    def wait_until_idle(self) -> None:
        wait_for(lambda: self.health()["unfinished"] == 0, lambda: str(self.health()))


@contextmanager
def running(folder: Path, *arguments: str, key: str = "") -> Iterator[Server]:
    port = free_port()
    log = folder / f"server-{port}.log"
    with log.open("wb") as output:
        process = Command(
            "serve-llm",
            *arguments,
            *("--port", str(port)),
            stdout=output,
            stderr=output,
            variables={"HOPTRAIL_GRAPH_LLM_KEY": key},
        )
    with process:
        server = Server(process, f"http://127.0.0.1:{port}")
        wait_until_ready(f"{server.url}/ready", process, log)
        yield server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve-llm")
    base = load_base_model(str(write_tiny_base(folder / "base", layers=6)), dtype="float32")
    config = GraphLlamaConfig(hidden=16, layers=2, heads=2, projector_hidden=32, graph_tokens=10)
    save_checkpoint(GraphLlama(base, config, load_embedder("all-MiniLM-L6-v2")), folder / "tiny")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with running(folder, str(folder / "tiny"), "--dtype", "float32", "--max-batch", "8") as server:
        yield server


def call(number: int = 0, tokens: int = 24, **changes: Any) -> dict[str, Any]:
    return {
        "model": "tiny",
        "messages": [{"role": "user", "content": f"Where was Ane Lund {number} born?"}],
        "max_tokens": tokens,
        "extra_body": {"graph": GRAPH},
        **changes,
    }


def streamed(server: Server, request: dict[str, Any]) -> tuple[str, str | None]:
    """Return the text and the finish reason of a stream."""
    text, reason = "", None
    with server.client() as client:
        for chunk in client.chat.completions.create(**request, stream=True):
            text += chunk.choices[0].delta.content or ""
            reason = chunk.choices[0].finish_reason or reason
    return text, reason


def test_the_openai_client_lists_asks_and_streams(server: Server) -> None:
    with server.client() as client:
        reply = client.chat.completions.create(**call())
        assert [model.id for model in client.models.list()] == ["tiny"]
        assert client.models.retrieve("tiny").id == "tiny"
        with pytest.raises(NotFoundError):
            client.models.retrieve("other")
    assert streamed(server, call()) == (reply.choices[0].message.content, "length")
    assert reply.usage is not None
    assert reply.usage.completion_tokens == 24


def test_eight_clients_at_once_lose_nothing(server: Server) -> None:
    alone = [streamed(server, call(number)) for number in range(8)]

    def ask_three_times(number: int) -> list[tuple[str, str | None]]:
        return [streamed(server, call(number)) for _ in range(3)]

    with ThreadPoolExecutor(8) as clients:
        replies = list(clients.map(ask_three_times, range(8)))
    assert replies == [[reply] * 3 for reply in alone]


def test_clients_that_hang_up_free_their_slots(server: Server) -> None:
    expected = streamed(server, call())
    with server.client() as client:
        for _ in range(12):
            with client.chat.completions.create(**call(tokens=LONG), stream=True) as stream:
                next(iter(stream))
    assert streamed(server, call()) == expected
    server.wait_until_idle()


def test_a_client_that_hangs_up_while_it_waits_frees_its_place(server: Server) -> None:
    body = {key: value for key, value in call(tokens=LONG).items() if key != "extra_body"}
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=0.05)
    server.wait_until_idle()


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"\x16\x03\x01 not http",
    ],
)
def test_broken_connections_leave_the_server_alive(server: Server, request_: bytes) -> None:
    port = httpx.URL(server.url).port
    assert port is not None
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request_)
    assert streamed(server, call())[1] == "length"


def test_an_enormous_graph_is_refused_and_others_go_on(server: Server) -> None:
    body = {
        "model": "tiny",
        "messages": [{"role": "user", "content": "?"}],
        "graph": {"nodes": ["a", "b"], "edges": [[0, "p", 1]] * 100_000},
    }
    with ThreadPoolExecutor(2) as clients:
        good = clients.submit(streamed, server, call(tokens=100))
        response = httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=60)
    assert (response.status_code, response.json()["error"]["param"]) == (400, "graph")
    assert good.result()[1] == "length"


def test_sigterm_lets_running_replies_finish_and_refuses_new_ones(folder: Path) -> None:
    arguments = (str(folder / "tiny"), "--dtype", "float32")
    with running(folder, *arguments) as server, server.client() as client:
        streams = [
            iter(client.chat.completions.create(**call(number, LONG), stream=True))
            for number in range(8)
        ]
        for stream in streams:
            next(stream)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.05)
        with pytest.raises(InternalServerError) as refused:
            client.chat.completions.create(**call())
        reasons = [list(stream)[-1].choices[0].finish_reason for stream in streams]
        assert refused.value.status_code == 503
        assert reasons == ["length"] * 8
        assert server.process.wait(timeout=60) == 0


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_replies_that_outlast_the_grace_end_with_an_error(
    folder: Path, sign: signal.Signals
) -> None:
    arguments = (str(folder / "tiny"), "--dtype", "float32", "--grace", "0")
    with running(folder, *arguments) as server, server.client() as client:
        stream = client.chat.completions.create(**call(tokens=LONG), stream=True)
        next(iter(stream))
        server.process.send_signal(sign)
        with pytest.raises(APIError, match="shut down"):
            list(stream)
        assert server.process.wait(timeout=60) == 0


def test_a_base_model_is_served_without_a_checkpoint_and_with_a_key(folder: Path) -> None:
    arguments = ("--base", str(folder / "base"), "--name", "b")
    with running(folder, *arguments, key="sesam") as server:
        with server.client("wrong") as client, pytest.raises(AuthenticationError):
            client.models.list()
        with server.client("sesam") as client:
            reply = client.chat.completions.create(**call(model="b"))
        assert reply.choices[0].finish_reason == "length"
