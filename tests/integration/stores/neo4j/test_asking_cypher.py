"""Preset cypher over a base on a real server: queries as a model would write them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from hoptrail.api.agent_tools import tell_mistakes
from hoptrail.core.settings import Settings
from hoptrail.graphs.qa import build_gathering, graph
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.models.chat import register_chat_model
from hoptrail.services.open_knowledge_bases import (
    find_knowledge_base,
    forget_knowledge_base,
    register_knowledge_base,
)
from hoptrail.services.request_services import allow_models
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.neo4j.connection import Connection, ServerAddress
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from hoptrail.testing import HashingEmbedder, ScriptedChatModel
from tests.servers import fixtures
from tests.ships import FACTS, ship_documents

pytestmark = pytest.mark.slow

QUESTION = "Where was the founder of the Alder Yard born?"
CHAIN = (
    "MATCH (y {name: 'Alder Yard'})-[:WAS_FOUNDED_BY]->(p)-[:WAS_BORN_IN]->(t) "
    "WHERE NOT t:Date RETURN DISTINCT t.name AS answer"
)


@pytest.fixture(scope="module")
def name(server: fixtures.ServerAddress, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a base that is answered from the server."""
    name = f"b{uuid.uuid4().hex[:12]}"
    embedder = HashingEmbedder()
    connection = Connection(ServerAddress(server.uri, None, server.user, server.password))
    store = Neo4jStore(connection, name)
    folder = tmp_path_factory.mktemp("ships")
    with KnowledgeBase.open(folder, embedder=embedder, create=True) as kb:
        Indexer(kb, settings=Settings()).index(ship_documents(FACTS), IndexOptions(extractor="nlp"))
        bring_in_step(kb, store)
        register_knowledge_base(name, kb, Settings(max_retries=0), store.source(embedder))
        yield name
    forget_knowledge_base(name)
    store.close()


def script(*queries: object) -> ScriptedChatModel:
    replies = [{"query": one} if isinstance(one, str) else one for one in queries]
    model = ScriptedChatModel(by_role={"decomposer": replies})
    register_chat_model("scripted", model)
    allow_models("scripted")
    return model


async def ask(name: str, question: str = QUESTION, **context: Any) -> dict[str, Any]:
    chosen = {"knowledge_base": name, "preset": "cypher", "model": "scripted", **context}
    state = await graph.ainvoke({"question": question}, context=chosen)
    answer: dict[str, Any] = state["answer"]
    return answer


async def test_the_rows_are_the_answer_and_their_relations_the_trail(name: str) -> None:
    model = script(CHAIN)

    answer = await ask(name)

    assert (answer["answer"], answer["strategy"]) == ("Brackenholm", "cypher")
    assert [hop["predicate"] for hop in answer["trail"]] == ["was founded by", "was born in"]
    assert [hop["support"] for hop in answer["trail"]] == ["stated", "stated"]
    assert all(hop["quote"] and hop["relation_id"] for hop in answer["trail"])
    assert not answer["perhaps"]
    assert answer["query"] == CHAIN
    assert len(model.calls) == 1


async def test_the_model_is_told_types_and_the_names_of_the_question(name: str) -> None:
    model = script(CHAIN)

    await ask(name)

    prompt = model.calls[0].text
    assert "-[:WAS_FOUNDED_BY]->" in prompt
    assert '- "Alder Yard": -[:WAS_FOUNDED_BY]->' in prompt


async def test_a_query_that_is_refused_is_written_once_more(name: str) -> None:
    model = script("CALL db.labels()", f"```cypher\n{CHAIN}\n```")

    answer = await ask(name)

    assert answer["answer"] == "Brackenholm"
    assert "CALL is not allowed" in model.calls[1].text
    assert len(model.calls) == 2


async def test_a_query_that_finds_nothing_is_written_once_more(name: str) -> None:
    model = script(CHAIN.replace("Alder Yard", "Elder Yard"), CHAIN)

    answer = await ask(name)

    assert answer["answer"] == "Brackenholm"
    assert "found nothing" in model.calls[1].text


async def test_after_two_vain_queries_the_nearest_passages_are_shown(name: str) -> None:
    model = script("MATCH (n) DETACH DELETE n")

    answer = await ask(name)

    assert answer["abstained"]
    assert answer["abstain_reason"] == "no_evidence"
    assert answer["nearest"]
    assert any("DETACH is not allowed" in line for line in answer["degraded"])
    assert len(model.calls) == 2


async def test_a_model_that_finds_nothing_to_ask_is_not_asked_again(name: str) -> None:
    model = script("")

    answer = await ask(name)

    assert answer["abstained"]
    assert len(model.calls) == 1


async def test_a_model_that_is_down_is_told(name: str) -> None:
    script(TimeoutError("down"))

    answer = await ask(name)

    assert (answer["abstained"], answer["stop_reason"]) == (True, "model_unavailable")
    assert "query_graph" in answer["degraded"]
    assert answer["nearest"]


async def test_a_count_is_derived_from_the_relations_that_it_counts(name: str) -> None:
    script("MATCH (y)-[:WAS_FOUNDED_BY]->(p) RETURN count(DISTINCT p) AS n")

    answer = await ask(name, "How many founders are there?")

    assert (answer["answer"], answer["derived"]) == ("1", True)
    assert [hop["predicate"] for hop in answer["trail"]] == ["was founded by"]


async def test_a_count_of_nothing_is_no_answer(name: str) -> None:
    script("MATCH (y {name: 'Nowhere'})-[:WAS_FOUNDED_BY]->(p) RETURN count(p)")

    assert (await ask(name, "How many founded Nowhere?"))["abstained"]


async def test_the_evidence_alone_is_what_the_rows_were_matched_from(name: str) -> None:
    script(CHAIN)
    context: Any = {"knowledge_base": name, "preset": "cypher", "model": "scripted"}

    state = await build_gathering().compile().ainvoke({"question": QUESTION}, context=context)

    assert len(state["retrieved"]["relations"]) == 2
    assert len(state["retrieved"]["chunks"]) >= 2


def test_as_tools_they_tell_an_agent_what_was_wrong(name: str) -> None:
    tools = find_knowledge_base(name).tools
    query = tell_mistakes(tools["query_graph"])

    told = query.invoke({"query": "MATCH (n) DELETE n"})
    found = query.invoke({"query": CHAIN})
    guide = tools["describe_queries"].invoke({"question": QUESTION})

    assert told.startswith("error: DELETE is not allowed")
    assert "Brackenholm" in found
    assert "| was born in | Brackenholm (passage " in found
    assert '- "Alder Yard"' in guide
