"""Traces and metrics as a collector gets them, from each command that a user runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_sync_client
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from hoptrail.testing import OpenAIStubServer
from tests.collector import Collector, SentSpan
from tests.commands import run
from tests.servers.processes import free_port
from tests.serving import serving, serving_web
from tests.ships import FACTS, QUESTION
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

ROOT = "invoke_agent hoptrail"
TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = f"00-{TRACE}-b7ad6b7169203331-01"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("traced")
    for title, text in FACTS.items():
        (place / f"{title}.txt").write_text(text, encoding="utf-8")
    files = [place / f"{title}.txt" for title in FACTS]
    done = run("index", *files, "--kb", place / "kb", "--extractor", "nlp")
    assert done.code == 0, done.err
    return place


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as started:
        yield started
        started.released.set()


def to(collector: Collector, **variables: str) -> dict[str, str]:
    """Return the variables by which a command sends to a collector, often."""
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        **variables,
    }


def awaited(collector: Collector, is_there: Callable[[], bool]) -> None:
    """Wait until something has arrived."""
    wait_for(is_there, lambda: f"only {collector.names} arrived")


def ancestors(collector: Collector, span: SentSpan) -> list[str]:
    """Return the names of what a span is part of, the nearest first."""
    names: list[str] = []
    while (parent := collector.parent_of(span)) is not None:
        names.append(parent.name)
        span = parent
    return names


def test_question_of_ask_arrives_whole_and_its_call_is_known_to_the_model(
    folder: Path, collector: Collector
) -> None:
    with OpenAIStubServer("FINAL ANSWER: Edda Thorn") as model:
        done = run(
            *("ask", QUESTION, "--kb", folder / "kb", "--preset", "reasoning"),
            variables=to(collector, HOPTRAIL_MODEL="openai:stub", HOPTRAIL_BASE_URL=model.url),
        )
        asked = model.requests[-1].headers["traceparent"]

    assert done.code == 0, done.err
    call = collector.named("chat stub")
    assert asked.split("-")[1:3] == [call.trace, call.id]
    assert ancestors(collector, call) == ["node answer", ROOT]
    assert call.attributes["gen_ai.usage.input_tokens"] > 0
    retrieval = collector.named("retrieval ket")
    assert ancestors(collector, retrieval)[-1] == ROOT
    assert collector.named(ROOT).service == "hoptrail"
    assert {"hoptrail.questions", "gen_ai.client.token.usage"} <= set(collector.metrics)
    assert "Tern" not in str(collector.spans)


def test_index_run_arrives_with_its_stages(tmp_path: Path, collector: Collector) -> None:
    (tmp_path / "mill.txt").write_text("Ann Lee founded Oak Mill in Varde.", encoding="utf-8")
    done = run(
        *("index", tmp_path / "mill.txt", "--kb", tmp_path / "kb"),
        variables=to(collector, OTEL_SERVICE_NAME="mills"),
    )
    assert done.code == 0, done.err
    root = collector.named("index run")
    assert (root.service, root.attributes["hoptrail.documents.added"]) == ("mills", 1)
    stages = [one for one in collector.spans if one.name.startswith("stage ")]
    assert {one.parent for one in stages} == {root.id}
    assert "hoptrail.index.runs" in collector.metrics


def test_collector_that_is_down_costs_one_line(folder: Path) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    done = run(
        *("ask", QUESTION, "--kb", folder / "kb", "--preset", "offline"),
        variables={"OTEL_EXPORTER_OTLP_ENDPOINT": address},
    )
    assert done.code == 0
    assert "Edda Thorn" in done.out
    (line,) = [line for line in done.err.splitlines() if address in line]
    assert line.endswith("Connection refused; all else goes on")
    assert line.startswith("warning: ")
    assert "Traceback" not in done.err


def test_collector_that_does_not_answer_costs_one_line(folder: Path, collector: Collector) -> None:
    collector.is_slow = True
    done = run(
        *("ask", QUESTION, "--kb", folder / "kb", "--preset", "offline"),
        variables=to(collector),
    )
    assert done.code == 0
    assert "Edda Thorn" in done.out
    (line,) = [line for line in done.err.splitlines() if collector.endpoint in line]
    assert "no answer within 2 s" in line
    assert collector.spans == []


def test_refused_key_is_told(folder: Path, collector: Collector) -> None:
    collector.status = 401
    done = run(
        *("ask", QUESTION, "--kb", folder / "kb", "--preset", "offline"),
        variables=to(collector, OTEL_EXPORTER_OTLP_HEADERS="Authorization=Basic%20abc"),
    )
    assert done.code == 0
    assert "code: 401" in done.err
    _, headers = collector.requests[0]
    assert headers["authorization"] == "Basic abc"


@pytest.mark.parametrize("status", [200, 401])
def test_doctor_tells_whether_the_collector_answers(status: int, collector: Collector) -> None:
    collector.status = status
    done = run("doctor", "--json", variables=to(collector))
    told = json.loads(done.out)["tracing"]
    assert told["name"] == f"{collector.endpoint}/v1/traces"
    assert told["ok"] is (status == 200)
    assert (told["error"] is None) is told["ok"]
    assert done.code == (0 if status == 200 else 1)


def test_web_continues_the_trace_of_its_caller_and_names_its_own_span(
    folder: Path, tmp_path: Path, collector: Collector
) -> None:
    arguments = ("--kb", f"ships={folder / 'kb'}", "--data", str(tmp_path / "data"))
    with (
        serving_web(tmp_path, *arguments, **to(collector)) as server,
        httpx.Client(base_url=f"{server.url}/api/v1", timeout=60) as client,
    ):
        body = {"question": QUESTION, "base": "ships", "preset": "offline"}
        answered = client.post("ask", json=body, headers={"traceparent": CALLER})
        assert answered.status_code == 200, answered.text
        awaited(collector, lambda: ROOT in collector.names)
        awaited(
            collector,
            lambda: any(one.trace == TRACE and "POST" in one.name for one in collector.spans),
        )

        (request,) = [one for one in collector.spans if one.name.startswith("POST ")]
        assert request.parent == CALLER.split("-")[2]
        assert answered.headers["traceresponse"].split("-")[1:3] == [TRACE, request.id]
        question = collector.named(ROOT)  # that of the warm-up is none
        assert (question.trace, question.parent) == (TRACE, request.id)

        client.post("bases/ships/documents", params={"name": "new.txt"}, content="A new mill.")
        awaited(collector, lambda: "index run" in collector.names)
    assert "Tern" not in str(collector.spans) and "new.txt" not in str(collector.spans)


def test_serve_continues_the_trace_of_its_caller(
    folder: Path, tmp_path: Path, collector: Collector
) -> None:
    with (
        serving(tmp_path, "--kb", f"ships={folder / 'kb'}", **to(collector)) as server,
        get_sync_client(url=server.url, headers={"traceparent": CALLER}) as client,
    ):
        list(
            client.runs.stream(
                None,
                "hoptrail",
                input={"question": QUESTION},
                context={"knowledge_base": "ships", "preset": "offline"},
                stream_mode="updates",
            )
        )
        awaited(collector, lambda: any(one.name.startswith("POST ") for one in collector.spans))
        awaited(collector, lambda: ROOT in collector.names)
    question = collector.named(ROOT)
    assert question.trace == TRACE
    assert ancestors(collector, question) == ["worker.stream_run", "POST /runs/stream"]
    assert ancestors(collector, collector.named("node answer"))[0] == ROOT
    assert question.attributes["hoptrail.outcome"] == "answered"


async def test_mcp_continues_the_trace_of_its_client(
    folder: Path, tmp_path: Path, collector: Collector
) -> None:
    command = StdioServerParameters(
        command=str(Path(sys.executable).with_name("hoptrail")),
        args=["mcp", "--kb", f"ships={folder / 'kb'}", "--preset", "offline"],
        env={**os.environ, **to(collector)},
        cwd=tmp_path,
    )
    provider = TracerProvider()
    with trace.use_span(provider.get_tracer("assistant").start_span("turn")) as turn:
        async with Client(stdio_client(command)) as client:
            await client.call_tool("ask", {"question": QUESTION})
        own = f"{turn.get_span_context().trace_id:032x}"
    awaited(collector, lambda: ROOT in collector.names and "tools/call ask" in collector.names)
    question = collector.named(ROOT)
    assert question.trace == own
    assert ancestors(collector, question) == ["tools/call ask"]
