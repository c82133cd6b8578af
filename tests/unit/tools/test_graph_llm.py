from __future__ import annotations

from collections.abc import Mapping

import pytest
from langchain_core.tools import BaseTool

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelUnavailableError
from hoptrail.core.settings import Settings
from hoptrail.models.chat import register_chat_model
from hoptrail.models.graph_llm.chat import ChatGraphLlama
from hoptrail.models.graph_llm.example import graph_of_evidence
from hoptrail.services.request_services import call_tool
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.tools.graph_llm import GraphReply
from hoptrail.tools.registry import make_tools
from tests.fake_graph_llm import FakeGraphLlm, whole

URL = "http://127.0.0.1:1/v1"
QUESTION = "Who founded the Alder Yard?"


@pytest.fixture
def asking(kb: KnowledgeBase) -> Mapping[str, BaseTool]:
    return make_tools(kb, Settings(graph_llm=URL, max_retries=0))


def graph_llm(reply: str, error: Exception | None = None) -> FakeGraphLlm:
    client = FakeGraphLlm([whole(reply)], error)
    register_chat_model("graph_llm", ChatGraphLlama(model=URL, client=client))
    return client


def test_there_is_one_only_where_a_graph_llm_is_set(
    tools: Mapping[str, BaseTool], asking: Mapping[str, BaseTool]
) -> None:
    assert asking.keys() - tools.keys() == {"ask_graph_llm"}


def test_a_model_can_write_the_question_and_no_graph(asking: Mapping[str, BaseTool]) -> None:
    schema = asking["ask_graph_llm"].tool_call_schema.model_json_schema()  # type: ignore[union-attr]
    assert set(schema["properties"]) == {"question"}
    assert schema["properties"]["question"]["description"]


async def test_the_relations_of_the_evidence_are_the_graph(
    asking: Mapping[str, BaseTool],
) -> None:
    client = graph_llm("Edda Thorn")
    found = await call_tool(asking["retrieve_ket"], question=QUESTION)

    reply: GraphReply = await call_tool(
        asking["ask_graph_llm"], question=QUESTION, references=found.references()
    )

    assert reply.text == "Edda Thorn"
    assert found.relations
    assert reply.evidence.references() == found.references()
    assert client.requests[0].graph == graph_of_evidence(found)


def test_a_model_that_gives_the_question_alone_gets_the_answer(
    asking: Mapping[str, BaseTool],
) -> None:
    client = graph_llm("Edda Thorn")

    assert asking["ask_graph_llm"].invoke({"question": QUESTION}) == "Edda Thorn"
    assert client.requests[0].graph is not None
    assert client.requests[0].graph.edges


async def test_the_call_is_booked(asking: Mapping[str, BaseTool]) -> None:
    graph_llm("Edda Thorn")
    meter = Meter("answer")

    await call_tool(asking["ask_graph_llm"], question=QUESTION, references={}, meter=meter)

    assert (meter.usage.llm_calls, meter.usage.prompt_tokens) == (1, 12)


async def test_an_empty_reply_is_said_in_words(asking: Mapping[str, BaseTool]) -> None:
    graph_llm("")

    assert await asking["ask_graph_llm"].ainvoke({"question": QUESTION})
    reply: GraphReply = await call_tool(asking["ask_graph_llm"], question=QUESTION, references={})
    assert reply.text == ""


async def test_one_that_is_down_is_an_error(asking: Mapping[str, BaseTool]) -> None:
    graph_llm("", ConnectionError("refused"))

    with pytest.raises(ModelUnavailableError, match="graph_llm"):
        await call_tool(asking["ask_graph_llm"], question=QUESTION, references={})
