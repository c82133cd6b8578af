from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from opentelemetry import trace

from hoptrail.core.errors import InputError
from hoptrail.core.settings import Settings, Tracing
from hoptrail.core.tracing.spans import request
from hoptrail.graphs.qa import compile_qa, graph
from hoptrail.services.open_knowledge_bases import find_knowledge_base, register_knowledge_base
from tests.recorded import Recorded
from tests.ships import FACTS, QUESTION, REPLY
from tests.unit.graphs.conftest import scripted

OFFLINE: Any = {"knowledge_base": "ships", "preset": "offline"}
ROOT = "invoke_agent hoptrail"


async def test_question_is_one_trace_of_nodes_tools_retrieval_and_calls(
    ships: str, recorded: Recorded
) -> None:
    scripted(by_role={"router": "bridge", "answerer": REPLY})

    context: Any = {"knowledge_base": "ships", "preset": "reasoning", "model": "scripted"}
    await graph.ainvoke({"question": QUESTION}, context=context)

    assert recorded.named(ROOT).parent is None
    assert len({span.context.trace_id for span in recorded.spans}) == 1
    nodes = [name for name in recorded.names if name.startswith("node ")]
    assert {recorded.parent(name) for name in nodes} == {ROOT}
    assert {"node contextualize", "node retrieve", "node answer", "node finalize"} <= set(nodes)
    assert recorded.parent("execute_tool retrieve_ket") == "node retrieve"
    assert recorded.parent("retrieval ket") == "execute_tool retrieve_ket"
    calls = [span for span in recorded.spans if span.name == "chat scripted"]
    assert [(span.attributes or {})["hoptrail.role"] for span in calls] == ["router", "answerer"]


async def test_question_tells_its_outcome_and_no_text(ships: str, recorded: Recorded) -> None:
    await graph.ainvoke(
        {"question": QUESTION}, {"configurable": {"thread_id": "t1"}}, context=OFFLINE
    )

    told = recorded.attributes(ROOT)
    assert told["hoptrail.outcome"] == "answered"
    assert told["hoptrail.preset"] == "offline"
    assert told["hoptrail.hops"] == 2
    assert told["gen_ai.conversation.id"] == "t1"
    assert {(span.attributes or {}).get("session.id") for span in recorded.spans} == {"t1"}
    texts = recorded.texts()
    assert not any(word in texts for word in ("Morning Tern", "Edda", "Alder", *FACTS.values()))


async def test_each_part_shows_its_input_and_output_where_the_setting_allows_it(
    ships: str, recorded: Recorded
) -> None:
    base = find_knowledge_base("ships")
    settings = Settings(tracing=Tracing(capture_content=True))
    register_knowledge_base("ships", base.records, settings, base.source)

    with request("POST /ask"):
        await graph.ainvoke({"question": QUESTION}, context=OFFLINE)

    told = recorded.attributes(ROOT)
    assert QUESTION in told["gen_ai.input.messages"]
    assert "Edda Thorn" in told["gen_ai.output.messages"]
    for name in (ROOT, "POST /ask"):
        assert recorded.attributes(name)["input.value"] == QUESTION
        assert recorded.attributes(name)["output.value"] == "Edda Thorn"
    tool = recorded.attributes("execute_tool retrieve_setwise")
    assert json.loads(tool["input.value"])["question"] == QUESTION
    assert tool["output.value"] == tool["gen_ai.tool.call.result"]
    assert "Morning Tern" in tool["output.value"]
    retrieval = recorded.attributes("retrieval setwise")
    assert retrieval["input.value"] == retrieval["gen_ai.retrieval.query.text"] == QUESTION
    assert retrieval["output.value"].splitlines()[0].endswith("relations")
    (best, *_) = json.loads(retrieval["gen_ai.retrieval.documents"])
    assert (best["content"], best["metadata"]["title"]) in {
        (text, title) for title, text in FACTS.items()
    }
    assert "Edda Thorn" in recorded.attributes("node verify")["output.value"]


async def test_abstention_is_an_outcome_of_its_own(ships: str, recorded: Recorded) -> None:
    await graph.ainvoke({"question": "谁创立了这个船厂？"}, context=OFFLINE)
    labels = {"hoptrail.outcome": "abstained", "hoptrail.preset": "offline"}
    assert recorded.points("hoptrail.questions") == [(labels, 1)]


async def test_failed_question_is_counted_and_marked(ships: str, recorded: Recorded) -> None:
    with pytest.raises(InputError):
        await graph.ainvoke({"question": " "}, context=OFFLINE)
    assert recorded.attributes(ROOT)["error.type"] == InputError.code
    ((labels, _),) = recorded.points("hoptrail.questions")
    assert labels == {"hoptrail.outcome": "failed", "error.type": InputError.code}


def test_run_without_an_event_loop_is_traced_alike(ships: str, recorded: Recorded) -> None:
    graph.invoke({"question": QUESTION}, context=OFFLINE)
    assert recorded.attributes(ROOT)["hoptrail.outcome"] == "answered"
    assert recorded.parent("retrieval setwise") == "execute_tool retrieve_setwise"
    assert recorded.parent("node retrieve") == ROOT


async def test_span_of_the_caller_is_around_the_question_and_not_changed(
    ships: str, recorded: Recorded
) -> None:
    with trace.get_tracer("host").start_as_current_span("request") as host:
        async for _ in graph.astream({"question": QUESTION}, context=OFFLINE):
            assert trace.get_current_span() is host
    assert recorded.parent(ROOT) == "request"


async def test_run_that_is_left_ends_its_span(ships: str, recorded: Recorded) -> None:
    stream: AsyncIterator[Any] = graph.astream({"question": QUESTION}, context=OFFLINE)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert recorded.attributes(ROOT)["hoptrail.outcome"] == "stopped"
    assert "error.type" not in recorded.attributes(ROOT)


async def test_each_step_may_run_in_a_task_of_its_own(ships: str, recorded: Recorded) -> None:
    stream: AsyncIterator[Any] = graph.astream({"question": QUESTION}, context=OFFLINE)

    async def step() -> Any:
        return await anext(stream, None)

    while await asyncio.create_task(step()) is not None:
        pass
    nodes = [name for name in recorded.names if name.startswith("node ")]
    assert {recorded.parent(name) for name in nodes} == {ROOT}


async def test_questions_at_the_same_time_are_traces_of_their_own(
    ships: str, recorded: Recorded
) -> None:
    ask = [graph.ainvoke({"question": QUESTION}, context=OFFLINE) for _ in range(3)]
    await asyncio.gather(*ask)
    roots = {span.context.trace_id for span in recorded.spans if span.name == ROOT}
    assert len(roots) == 3
    retrievals = [span for span in recorded.spans if span.name == "retrieval setwise"]
    assert {span.context.trace_id for span in retrievals} == roots


async def test_untraced_run_is_the_stream_of_langgraph_itself(ships: str) -> None:
    compiled = compile_qa()
    state = await compiled.ainvoke({"messages": [HumanMessage(QUESTION)]}, context=OFFLINE)
    assert state["answer"]["answer"] == "Edda Thorn"
    stream: Any = compiled.astream({"question": QUESTION}, context=OFFLINE)
    assert stream.__name__ == "astream"
