from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from pydantic import ValidationError

from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.core.types import Evidence
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.services.request_services import call_tool
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.tools.registry import make_tools

QUESTION = "Where was the founder of the yard that built the Morning Tern born?"
Tools = Mapping[str, BaseTool]


def test_there_is_a_tool_for_every_retriever_and_look_up(tools: Tools) -> None:
    assert set(tools) == {
        *(f"retrieve_{name}" for name in RETRIEVERS),
        "compress_evidence",
        "hydrate_evidence",
        "find_entities",
        "read_chunks",
        "describe_graph",
        "find_anchors",
        "search_paths",
        "read_paths",
        "select_communities",
        "read_reports",
        "read_tables",
        "query_tables",
    }


def test_a_model_can_see_what_each_argument_means(tools: Tools) -> None:
    for tool in tools.values():
        schema = tool.get_input_jsonschema()
        assert tool.description
        assert all(field["description"] for field in schema["properties"].values())


def test_no_argument_names_a_knowledge_base(tools: Tools) -> None:
    names = {name for tool in tools.values() for name in tool.args}
    assert not names & {"kb", "path", "knowledge_base", "store"}


@pytest.mark.parametrize("name", sorted(RETRIEVERS))
async def test_the_artifact_is_what_the_retriever_finds(
    kb: KnowledgeBase, tools: Tools, name: str
) -> None:
    artifact = await call_tool(tools[f"retrieve_{name}"], question=QUESTION, k=2, budget=300)
    assert artifact == make_retriever(name, kb, k=2, budget=300).retrieve(QUESTION)


async def test_the_content_is_text_for_a_reading_model(tools: Tools) -> None:
    call = {"type": "tool_call", "id": "1", "name": "x", "args": {"question": QUESTION}}
    message = await tools["retrieve_ket"].ainvoke(call)
    assert "<passage>\nEdda Thorn was an engineer." in message.content


async def test_plan_fields_reach_the_retriever(tools: Tools) -> None:
    found = await call_tool(
        tools["retrieve_ket"], question="Where was she born?", entities=["Edda Thorn"]
    )
    assert "Edda Thorn" in {hit.item.name for hit in found.entities if hit.hop == 0}


async def test_parameters_of_a_retriever_reach_it(tools: Tools) -> None:
    ask = tools["retrieve_bm25"]
    plain = await call_tool(ask, question=QUESTION)
    flat = await call_tool(ask, question=QUESTION, parameters={"k1": 0.5})
    assert [hit.score for hit in plain.chunks] != [hit.score for hit in flat.chunks]


async def test_a_parameter_that_the_retriever_lacks_is_named(tools: Tools) -> None:
    with pytest.raises(UnknownNameError, match="vector 'alpha'"):
        await call_tool(tools["retrieve_vector"], question=QUESTION, parameters={"alpha": 1})


async def test_references_travel_as_json_and_come_back_whole(tools: Tools) -> None:
    found: Evidence = await call_tool(tools["retrieve_ket"], question=QUESTION)
    references: dict[str, Any] = json.loads(json.dumps(found.references()))
    again: Evidence = await call_tool(tools["hydrate_evidence"], references=references)
    assert again.references() == found.references()
    assert [hit.item for hit in again.chunks] == [hit.item for hit in found.chunks]


async def test_what_was_deleted_meanwhile_is_left_out(tools: Tools) -> None:
    references = {
        "chunks": [["0" * 16, 1.0, "text", None, []]],
        "paths": [[["f" * 16], 1, "", 0, [], None]],
    }
    assert (await call_tool(tools["hydrate_evidence"], references=references)).is_empty


async def test_compression_keeps_a_part_within_its_budget(tools: Tools) -> None:
    found: Evidence = await call_tool(tools["retrieve_ket"], question=QUESTION)
    kept: Evidence = await call_tool(
        tools["compress_evidence"], question=QUESTION, references=found.references(), budget=110
    )
    ids = {hit.item.id for hit in found.chunks}
    assert 0 < len(kept.chunks) < len(ids)
    assert {hit.item.id for hit in kept.chunks} <= ids


async def test_entities_are_found_by_name_in_any_case(tools: Tools) -> None:
    found = await call_tool(tools["find_entities"], names=["alder yard", "nobody"])
    assert [entity.name for entity in found["alder yard"]] == ["Alder Yard"]
    assert "nobody" not in found


async def test_passages_are_read_by_id(kb: KnowledgeBase, tools: Tools) -> None:
    ids = [str(id_) for id_ in kb.index.chunk_ids]
    chunks = await call_tool(tools["read_chunks"], chunk_ids=[ids[0], "unknown"])
    assert [chunk.id for chunk in chunks] == ids[:1]


async def test_our_errors_pass_through(tools: Tools) -> None:
    with pytest.raises(InputError, match="the question is empty"):
        await call_tool(tools["retrieve_ket"], question=" ")


async def test_arguments_of_a_wrong_type_are_refused(tools: Tools) -> None:
    with pytest.raises(ValidationError, match="budget"):
        await call_tool(tools["retrieve_ket"], question=QUESTION, budget="lots")


async def test_blocking_work_runs_in_a_thread(
    tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[threading.Thread] = []

    def spy(self: KnowledgeBase, text: str) -> Any:
        seen.append(threading.current_thread())
        return original(self, text)

    original = KnowledgeBase.embed_query
    monkeypatch.setattr(KnowledgeBase, "embed_query", spy)
    await call_tool(tools["retrieve_vector"], question="Who founded a yard?")
    assert seen
    assert threading.main_thread() not in seen


async def test_a_search_hands_out_the_ends_of_its_paths(tools: Tools) -> None:
    [start] = await call_tool(tools["find_anchors"], concepts=[{"text": "Morning Tern"}])
    search = {"question": QUESTION, "anchors": start["anchors"], "queries": [QUESTION]}

    found: Evidence = await call_tool(tools["search_paths"], **search)
    again: Evidence = await call_tool(
        tools["search_paths"],
        **search,
        leave_out=[hit.item.id for hit in found.entities],
        begun=[],
    )

    assert found.paths
    assert found.entities
    assert {hit.item.id for hit in found.entities}.isdisjoint(hit.item.id for hit in again.entities)


async def test_concepts_of_one_entity_are_one_start(tools: Tools) -> None:
    parts = [{"text": "Morning"}, {"text": "Tern"}]
    [start] = await call_tool(tools["find_anchors"], question=QUESTION, concepts=parts)

    assert start["concept"]["text"] == "Morning"


async def test_a_question_without_a_concept_begins_at_its_own_names(tools: Tools) -> None:
    theme = [{"text": "ships", "is_span": False}]
    first, *_ = await call_tool(tools["find_anchors"], question=QUESTION, concepts=theme)

    assert first["concept"]["text"] in QUESTION
    assert first["concept"]["is_span"]


async def test_kept_paths_are_read_with_the_passages_behind_them(tools: Tools) -> None:
    [start] = await call_tool(tools["find_anchors"], concepts=[{"text": "Morning Tern"}])
    found: Evidence = await call_tool(
        tools["search_paths"], question=QUESTION, anchors=start["anchors"], queries=[QUESTION]
    )

    read: Evidence = await call_tool(
        tools["read_paths"],
        question=QUESTION,
        anchors=start["anchors"],
        references=found.references(),
    )

    assert read.paths
    assert {hit.item.relations for hit in read.paths} <= {hit.item.relations for hit in found.paths}
    assert "Morning Tern" in {hit.item.title for hit in read.chunks[:2]}


async def test_the_schema_describes_the_graph_and_its_types(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path, embedder=HashingEmbedder(), create=True, writable=True) as kb:
        kb.put_description("Ships and their yards.")
        kb.put_schema({"Ship": "sails", "Yard": ""})
        schema = await call_tool(make_tools(kb)["describe_graph"])

    assert schema == {
        "description": "Ships and their yards.",
        "entity_types": {"Ship": "sails", "Yard": ""},
    }
