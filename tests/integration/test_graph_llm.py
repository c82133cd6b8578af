"""The graph LLM in use: asked through the product, in this process and behind a server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from pydantic import SecretStr

from hoptrail import Hoptrail
from hoptrail.core.errors import ModelUnavailableError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Answer
from hoptrail.models.embedder import load_embedder
from hoptrail.models.failures import CallFailedError
from hoptrail.models.graph_llm.base_model import load_base_model
from hoptrail.models.graph_llm.chat import ChatGraphLlama
from hoptrail.models.graph_llm.checkpoint import load_checkpoint, save_checkpoint
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.engine import GraphEngine
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.models.graph_llm.server.app import create_app
from hoptrail.models.graph_llm.server.options import ServerOptions
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.faults import Fault, http_error
from hoptrail.testing.tiny_llama import write_tiny_base
from tests.commands import run
from tests.evaluating import measure
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

TRIPLES = """Red Fern|film.starring|Per Krogh
Red Fern|film.starring|Ane Lund
Red Fern|film.directed_by|Ida Holm
Blue Moss|film.directed_by|Per Krogh
"""
QUESTION = "Who starred in Red Fern?"
GRAPH = GraphInput.from_triples([("Red Fern", "film.starring", "Per Krogh")])
KEY = "secret"
NAMED: list[dict[str, Any]] = [
    {},
    {"reader": "graph_llm"},
    {"context": {"models": {"answerer": "graph_llm"}}},
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("films")
    (folder / "films.txt").write_text(TRIPLES, encoding="utf-8")
    with Hoptrail.open(folder / "kb", create=True, settings=Settings()) as hoptrail:
        hoptrail.index(triples=[folder / "films.txt"], extractor="none")
    return folder / "kb"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graph_llm")
    base = load_base_model(str(write_tiny_base(folder / "base")), dtype="float32")
    config = GraphLlamaConfig(hidden=16, heads=2, layers=1, projector_hidden=16)
    save_checkpoint(GraphLlama(base, config, load_embedder("all-MiniLM-L6-v2")), folder / "tiny")
    return folder / "tiny"


@contextmanager
def serving(engine: GraphEngine, options: ServerOptions, port: int = 0) -> Iterator[str]:
    app = create_app(engine, options)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_for(lambda: server.started, "the server did not start")
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def served(checkpoint: Path) -> Iterator[str]:
    engine = GraphEngine(load_checkpoint(checkpoint, dtype="float32"))
    with serving(engine, ServerOptions("tiny", api_key=KEY)) as url:
        yield url


def ask(kb: Path, graph_llm: str, preset: str = "multistage", **settings: Any) -> Answer:
    chosen = Settings(graph_llm=graph_llm, **settings)
    with Hoptrail.open(kb, settings=chosen, preset=preset) as hoptrail:
        return hoptrail.ask(QUESTION)


def test_the_command_answers_through_a_server_with_a_checked_trail(kb: Path) -> None:
    with OpenAIStubServer("Per Krogh; Ane Lund") as stub:
        done = run(
            *("ask", QUESTION, "--kb", kb, "--preset", "multistage", "--json"),
            variables={"HOPTRAIL_GRAPH_LLM": stub.url, "HOPTRAIL_GRAPH_LLM_KEY": KEY},
        )
        [request] = stub.requests

    answer = json.loads(done.out)
    assert [one["text"] for one in answer["answers"]] == ["Per Krogh", "Ane Lund"]
    assert all(one["entity_id"] and one["score"] == 1 for one in answer["answers"])
    assert [hop["supported"] for hop in answer["trail"]] == [True, True]
    assert (answer["strategy"], answer["usage"]["llm_calls"]) == ("graph_llm", 1)
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["messages"] == [{"role": "user", "content": QUESTION}]
    sent = GraphInput.from_json(request.body["graph"])
    assert ("Red Fern", "film.starring", "Ane Lund") in sent.triples()


def test_a_checkpoint_and_the_server_of_it_give_the_same_answer(
    kb: Path, checkpoint: Path, served: str
) -> None:
    here = ask(kb, str(checkpoint))
    there = ask(kb, served, graph_llm_key=SecretStr(KEY))

    assert here.strategy == "graph_llm"
    assert here.usage.llm_calls == there.usage.llm_calls == 1
    assert (here.text, here.stop_reason) == (there.text, there.stop_reason)
    assert here.usage.prompt_tokens == there.usage.prompt_tokens > 0
    assert here.usage.completion_tokens == there.usage.completion_tokens > 0


def test_a_chat_model_streams_the_same_from_both(checkpoint: Path, served: str) -> None:
    sampled: dict[str, Any] = {"max_tokens": 12, "temperature": 2.0, "seed": 3, "graph": GRAPH}
    here = ChatGraphLlama(model=str(checkpoint), **sampled)
    there = ChatGraphLlama(model=served, api_key=SecretStr(KEY), **sampled)

    pieces = [chunk.text for chunk in there.stream(QUESTION) if chunk.text]

    assert len(pieces) > 1
    assert "".join(pieces) == here.invoke(QUESTION).text
    assert there.invoke(QUESTION).usage_metadata == here.invoke(QUESTION).usage_metadata


def test_many_event_loops_and_calls_share_one_chat_model(served: str) -> None:
    llm = ChatGraphLlama(model=served, api_key=SecretStr(KEY), max_tokens=6, graph=GRAPH)
    expected = llm.invoke(QUESTION).text

    async def ask_often() -> list[str]:
        return [message.text for message in await llm.abatch([QUESTION] * 8)]

    for _ in range(2):
        assert asyncio.run(ask_often()) == [expected] * 8


def test_a_server_that_serves_another_model_now_is_asked_for_that(checkpoint: Path) -> None:
    model = load_checkpoint(checkpoint, dtype="float32")
    with serving(GraphEngine(model), ServerOptions("first")) as url:
        llm = ChatGraphLlama(model=url, max_tokens=3)
        expected = llm.invoke(QUESTION).text
    with serving(GraphEngine(model), ServerOptions("second"), urlsplit(url).port or 0):
        assert llm.invoke(QUESTION).text == expected
        assert asyncio.run(llm.ainvoke(QUESTION)).text == expected


def test_a_wrong_key_is_named(served: str) -> None:
    with pytest.raises(ModelUnavailableError, match="HOPTRAIL_GRAPH_LLM_KEY"):
        ChatGraphLlama(model=served, api_key=SecretStr("wrong"), max_retries=0).invoke(QUESTION)


def test_a_server_that_keeps_one_waiting_is_given_up(checkpoint: Path) -> None:
    with OpenAIStubServer(Fault(delay=5)) as stub, pytest.raises(CallFailedError) as caught:
        ChatGraphLlama(model=stub.url, timeout=0.2, max_retries=0).invoke(QUESTION)

    assert caught.value.failure.transient


@pytest.mark.parametrize(
    "fault", [http_error(429, retry_after=0), http_error(503), Fault(text="Per Krogh", drop=True)]
)
def test_a_passing_fault_is_tried_again(kb: Path, fault: Fault) -> None:
    with OpenAIStubServer([fault, "Per Krogh"]) as stub:
        answer = ask(kb, stub.url)

    assert (answer.text, answer.usage.llm_calls) == ("Per Krogh", 2)


@pytest.mark.parametrize("preset", ["multistage", "dagr"])
def test_a_server_that_is_gone_leaves_the_answer_to_graph_search(kb: Path, preset: str) -> None:
    with OpenAIStubServer("") as stub:
        url = stub.url

    answer = ask(kb, url, preset, max_retries=0)

    assert (answer.strategy, answer.stop_reason) == ("graph_search", "model_unavailable")


@pytest.mark.parametrize("named", NAMED)
def test_it_is_measured_like_any_other_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: dict[str, Any]
) -> None:
    rows = [
        {"id": "1", "index": "1", "question": QUESTION, "answers": ["Per Krogh", "Ane Lund"]},
        {"id": "2", "index": "1", "question": "Who directed Red Fern?", "answers": ["Ida Holm"]},
    ]
    questions, graphs = tmp_path / "questions.jsonl", tmp_path / "graphs.jsonl"
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    graph = [line.split("|") for line in TRIPLES.splitlines()]
    graphs.write_text(json.dumps({"index": "1", "graph": graph}), encoding="utf-8")

    with OpenAIStubServer("Per Krogh; Ane Lund") as stub:
        monkeypatch.setenv("HOPTRAIL_GRAPH_LLM", stub.url)
        summary = measure(
            questions,
            tmp_path / "bases",
            tmp_path / "run",
            graphs=graphs,
            preset="multistage",
            **named,
        )

    assert summary["n_failed"] == 0
    assert (summary["hits@1"], summary["set_f1"]) == (0.5, 0.5)
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert record["roles"]["answerer"] == "graph_llm"
    assert record["graph_llm"].startswith("http://")
