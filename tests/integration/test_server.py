"""The LangGraph server on the graph, as `hoptrail serve` starts it: threads, streams, schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import UnprocessableEntityError

from hoptrail import Hoptrail
from hoptrail.core.settings import Settings
from hoptrail.graphs.context import Context
from hoptrail.testing import OpenAIStubServer
from tests.conftest import DATA
from tests.serving import ServerProcess, serving
from tests.ships import QUESTION, REPLY, index_ships

pytestmark = pytest.mark.slow

PASSAGES = 100  # those of the first five questions
LARGEST_CHECKPOINT = 200_000


def script(body: dict[str, Any]) -> str | dict[str, Any]:
    prompt = str(body["messages"])
    if "graph" in body:
        return "Edda Thorn"
    if "choose where a search" in prompt:
        spans = re.findall(r"Morning Tern|yard|Journal of [A-Z]\w+ [A-Z]\w+", prompt)
        topics = ["association"] if "Journal of" in prompt else []
        named = [{"text": span} for span in dict.fromkeys(spans)]
        return {"spans": named, "needs_topics": bool(topics), "topics": topics}
    if "A search starts at one concept" in prompt:
        return {"terminal": "a founder"}
    if "judge paths" in prompt:
        numbers = sorted(set(map(int, re.findall(r"\[(\d+)\]", prompt))))
        verdicts = [{"path": number, "verdict": "partial"} for number in numbers[1:]]
        return {"verdicts": [{"path": 1, "verdict": "complete"}, *verdicts]}
    if "has not found" in prompt:
        return {"query": "founder of the yard"}
    if "FINAL ANSWER" in prompt:
        return REPLY
    return {"question": "Where was Edda Thorn born?"} if "tools" in body else "bridge"


class Server:
    """A running server and its client."""

    def __init__(self, client: SyncLangGraphClient, process: ServerProcess) -> None:
        self.client = client
        self._process = process

    @property
    def log(self) -> str:
        return self._process.log

    def stream(self, question: str, thread_id: str, mode: str, **context: Any) -> list[Any]:
        asked: Any = {"messages": [{"role": "user", "content": question}]}
        context = {"knowledge_base": "ships", **context}
        return list(
            self.client.runs.stream(
                thread_id,
                "hoptrail",
                input=asked,
                context=context,
                stream_mode=mode,  # type: ignore[arg-type]
            )
        )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    index_ships(folder / "kb", Settings())
    arguments = ["--kb", "ships=kb"]
    if DATA.is_dir():
        arguments += ["--kb", f"musique={index_musique(folder / 'musique')}"]
    with (
        OpenAIStubServer(script) as model,
        serving(
            folder,
            *arguments,
            HOPTRAIL_MODEL="openai:stub",
            HOPTRAIL_BASE_URL=model.url,
            HOPTRAIL_GRAPH_LLM=model.url,
        ) as process,
        get_sync_client(url=process.url) as client,
    ):
        yield Server(client, process)


def index_musique(folder: Path) -> Path:
    """Index the passages of a few MuSiQue questions with their extracted triples."""
    folder.mkdir()
    source = DATA / "musique" / "train100_openie.jsonl"
    lines = source.read_text(encoding="utf-8").splitlines()[:PASSAGES]
    triples = folder / "triples.jsonl"
    triples.write_text("\n".join(lines), encoding="utf-8")
    with Hoptrail.open(folder / "kb", create=True, settings=Settings()) as hoptrail:
        hoptrail.index(triples=[triples], extractor="none")
    return folder / "kb"


def test_context_schema_lists_every_choice(server: Server) -> None:
    assistant = server.client.assistants.search()[0]

    schemas = server.client.assistants.get_schemas(assistant["assistant_id"])

    context = schemas["context_schema"]
    assert context is not None
    assert list(context["properties"]) == list(Context.model_fields)


def test_second_turn_uses_the_history_and_node_updates_stream(server: Server) -> None:
    thread = server.client.threads.create()["thread_id"]
    server.stream(QUESTION, thread, "updates", preset="offline")

    parts = server.stream("Where was she born?", thread, "updates", preset="offline")

    updates: dict[str, Any] = {}
    for part in parts:
        if part.event == "updates":
            updates |= part.data
    assert list(updates) == [
        "contextualize",
        "route",
        "retrieve",
        "compress",
        "answer",
        "verify",
        "finalize",
    ]
    answer = updates["finalize"]["answer"]
    assert answer["standalone_question"] == "Where was Edda Thorn born?"
    assert answer["answer"] == "Brackenholm"

    last = server.stream("And when was that steamer built?", thread, "values", preset="offline")
    answer = last[-1].data["answer"]
    assert answer["standalone_question"] == "And when was Morning Tern built?"


def test_a_filter_names_the_documents_of_a_request(server: Server) -> None:
    thread = server.client.threads.create()["thread_id"]

    def asked(filter: Any) -> dict[str, Any]:
        last = server.stream(QUESTION, thread, "values", preset="offline", filter=filter)[-1]
        answer: dict[str, Any] = last.data["answer"]
        return answer

    within = asked("title in (Morning Tern, Alder Yard)")
    without = asked({"not": {"field": "title", "eq": "Alder Yard"}})

    assert within["answer"] == "Edda Thorn"
    assert within["filter"] == {"field": "title", "in": ["Morning Tern", "Alder Yard"]}
    assert {hop["doc_id"] for hop in within["trail"]} == {"t/Morning Tern", "t/Alder Yard"}
    shown = [*without["trail"], *without["nearest"]]
    assert {one["doc_id"] for one in shown} <= {"t/Morning Tern", "t/Edda Thorn"}


def test_messages_stream_is_the_final_answer(server: Server) -> None:
    thread = server.client.threads.create()["thread_id"]

    parts = server.stream(QUESTION, thread, "messages-tuple", preset="reasoning")

    pieces = [part.data[0] for part in parts if part.event == "messages"]
    shown = [piece["content"] for piece in pieces if piece["type"] == "AIMessageChunk"]
    assert "".join(shown) == "Edda Thorn"


def test_a_choice_that_cannot_be_used_is_refused_in_one_line_of_the_log(server: Server) -> None:
    message = "no document matches the filter"
    thread = server.client.threads.create()["thread_id"]
    before = len(server.log.splitlines())

    with pytest.raises(UnprocessableEntityError, match=message):
        server.stream(QUESTION, thread, "updates", filter="title = Quay")

    [line] = server.log.splitlines()[before:]
    assert message in line


def test_no_blocking_call_is_logged(server: Server) -> None:
    thread = server.client.threads.create()["thread_id"]
    server.stream(QUESTION, thread, "updates")

    assert "blocking" not in server.log.lower()


def test_a_search_along_paths_shows_its_branches_in_a_small_state(server: Server) -> None:
    thread = server.client.threads.create()["thread_id"]

    updates = server.stream(QUESTION, thread, "updates", preset="dotrag")

    state: Any = server.client.threads.get_state(thread)["values"]
    nodes = [name for part in updates if part.event == "updates" for name in part.data]
    assert {"lay_out", "explore", "collect"} <= set(nodes)
    assert {"concept", "anchors", "rounds", "paths"} <= state["dots"][0].keys()
    assert state["answer"]["answer"] == "Edda Thorn"
    assert len(json.dumps(state)) < 200_000
    assert "Blocking call" not in server.log


def test_the_graph_llm_answers_without_blocking(server: Server) -> None:
    thread = server.client.threads.create()["thread_id"]

    server.stream(QUESTION, thread, "updates", preset="multistage")

    answer = server.client.threads.get_state(thread)["values"]["answer"]  # type: ignore[call-overload]
    assert (answer["answer"], answer["strategy"]) == ("Edda Thorn", "graph_llm")
    assert "blocking" not in server.log.lower()


def test_auto_shows_one_answer_once_it_is_chosen(server: Server) -> None:
    thread = server.client.threads.create()["thread_id"]

    parts = server.stream(QUESTION, thread, "messages-tuple")

    pieces = [part.data[0] for part in parts if part.event == "messages"]
    assert [piece["content"] for piece in pieces if piece["type"] != "human"] == ["Edda Thorn"]


def test_no_checkpoint_of_a_search_in_a_real_graph_is_too_large_to_read(
    server: Server, data_dir: Path
) -> None:
    with (data_dir / "musique" / "train100.jsonl").open(encoding="utf-8") as lines:
        question = json.loads(next(lines))["question"]
    thread = server.client.threads.create()["thread_id"]

    updates = server.stream(question, thread, "updates", knowledge_base="musique", preset="dotrag")

    history: Any = server.client.threads.get_history(thread, limit=100)
    nodes = [name for part in updates if part.event == "updates" for name in part.data]
    assert nodes.count("explore") > 1
    assert len(history[0]["values"]["dots"]) == nodes.count("explore")
    assert max(len(json.dumps(one["values"])) for one in history) < LARGEST_CHECKPOINT
