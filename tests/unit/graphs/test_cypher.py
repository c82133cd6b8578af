"""Preset cypher without a server; with one: integration/stores/neo4j/test_asking_cypher.py."""

import re
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from hoptrail.graphs.qa import build_qa, graph
from tests.ships import FACTS, QUESTION
from tests.unit.graphs.conftest import scripted


async def run(**context: Any) -> dict[str, Any]:
    chosen = {"knowledge_base": "ships", "preset": "cypher", **context}
    state = await graph.ainvoke({"question": QUESTION}, context=chosen)
    answer: dict[str, Any] = state["answer"]
    return answer


async def test_a_base_that_is_on_no_server_says_what_to_set_and_shows_passages(ships: str) -> None:
    model = scripted(by_role={"decomposer": {"query": "MATCH (n) RETURN n"}})

    answer = await run(model="scripted")

    assert answer["abstained"]
    assert answer["abstain_reason"] == "no_graph_server"
    assert 'graph = "neo4j://' in answer["answer"]
    assert answer["nearest"]
    assert not model.calls


async def test_without_a_model_it_says_what_to_set_and_shows_passages(ships: str) -> None:
    answer = await run()

    assert (answer["abstain_reason"], answer["stop_reason"]) == ("no_model", "model_unavailable")
    assert answer["nearest"]


async def test_under_a_filter_it_says_that_the_folder_is_asked(ships: str) -> None:
    scripted(by_role={"decomposer": {"query": "MATCH (n) RETURN n"}})

    answer = await run(model="scripted", filter='title = "Morning Tern"')

    assert answer["abstain_reason"] == "no_graph_server"
    assert "a filter is answered from the folder, which takes no query" in answer["degraded"]


async def test_updates_tell_what_their_ids_stand_for_and_no_thread_keeps_it(ships: str) -> None:
    saver = InMemorySaver()
    compiled = build_qa().compile(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "1"}}
    context: Any = {"knowledge_base": "ships", "preset": "offline"}
    told: dict[str, list[str]] = {}

    async for update in compiled.astream(
        {"question": QUESTION}, config, context=context, stream_mode="updates"
    ):
        told |= {node: one["summary"] for node, one in update.items() if "summary" in one}

    assert "Morning Tern" in told["retrieve"]
    assert re.fullmatch(r"4 passages, \d+ entities, \d+ relations", told["retrieve"][0])
    assert len(told["retrieve"]) <= 11
    assert told["answer"] == ["Edda Thorn"]
    assert told["verify"][0].startswith("stated: ")
    assert told["verify"][0].endswith(FACTS["Morning Tern"] + '"')
    stored = list(saver.list(config))
    assert stored
    assert not any("summary" in one.checkpoint["channel_values"] for one in stored)
    written = [channel for one in stored for _, channel, _ in one.pending_writes or ()]
    assert "summary" not in written
