"""`ChatGraphLlama` as LangChain expects chat models to be, and what it sends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
import openai
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_tests.unit_tests import ChatModelUnitTests

from hoptrail.core.errors import (
    GraphInputError,
    InputError,
    ModelUnavailableError,
    SettingsError,
)
from hoptrail.models.failures import CallFailedError
from hoptrail.models.graph_llm.chat import ChatGraphLlama
from hoptrail.models.graph_llm.generation import ReplyPart
from hoptrail.models.graph_llm.graph_input import GraphInput
from tests.fake_graph_llm import FakeGraphLlm

URL = "http://127.0.0.1:8000/v1"
GRAPH = GraphInput.from_triples([("Ane Lund", "born_in", "Varde")])
REPLY = (
    ReplyPart("Varde"),
    ReplyPart("; Ribe", finish_reason="stop"),
    ReplyPart(prompt_tokens=12, completion_tokens=4),
)


@pytest.fixture
def benchmark(benchmark: Any) -> Any:
    """Run once the calls that LangChain's suite would repeat for a second."""
    benchmark.disabled = True
    return benchmark


class TestServed(ChatModelUnitTests):
    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ChatGraphLlama

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": URL}

    @property
    def has_tool_calling(self) -> bool:
        return False

    @property
    def has_structured_output(self) -> bool:
        return False


class TestInProcess(TestServed):
    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": "checkpoints/webqsp"}


def chat(
    parts: Sequence[ReplyPart] = REPLY, error: Exception | None = None, **fields: Any
) -> tuple[ChatGraphLlama, FakeGraphLlm]:
    client = FakeGraphLlm([parts], error)
    return ChatGraphLlama(model=URL, client=client, **fields), client


def test_the_reply_says_what_it_took_and_why_it_ended() -> None:
    message = chat()[0].invoke("Where was Ane Lund born?")

    assert message.text == "Varde; Ribe"
    assert message.usage_metadata == {"input_tokens": 12, "output_tokens": 4, "total_tokens": 16}
    assert message.response_metadata["finish_reason"] == "stop"


async def test_a_stream_gives_the_pieces_as_they_come() -> None:
    model = chat()[0]

    pieces = [chunk.text for chunk in model.stream("Where?") if chunk.text]
    waited_for = [chunk.text async for chunk in model.astream("Where?") if chunk.text]

    assert pieces == waited_for == ["Varde", "; Ribe"]


@pytest.mark.parametrize("given", [GRAPH, GRAPH.to_json()])
def test_a_graph_comes_with_the_call_or_bound_or_as_a_field(given: Any) -> None:
    for model, client in (chat(), chat(graph=given)):
        model.bind(graph=given).invoke("Where?")
        model.invoke("Where?", graph=given)
        assert [request.graph for request in client.requests] == [GRAPH, GRAPH]
    model, client = chat(graph=given)
    model.invoke("Where?")
    assert client.requests[0].graph == GRAPH


def test_without_a_graph_none_is_sent() -> None:
    model, client = chat()
    model.invoke([SystemMessage("Be brief."), HumanMessage("Hi"), AIMessage("Yes?")])

    assert client.requests[0].graph is None
    assert client.requests[0].messages == (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Yes?"},
    )


def test_options_of_a_call_win_over_the_fields() -> None:
    model, client = chat(max_tokens=8, stop=["\n"], timeout=5)
    model.invoke("Where?", max_tokens=16, seed=7, stop=[";"])

    assert client.requests[0].options == {
        "max_tokens": 16,
        "temperature": 0.0,
        "seed": 7,
        "stop": [";"],
    }
    assert client.requests[0].timeout == 5


async def test_calls_side_by_side_each_get_their_own_reply() -> None:
    model = chat()[0]

    messages = await model.abatch(["Where?"] * 4)

    assert [message.text for message in messages] == ["Varde; Ribe"] * 4


def test_a_malformed_graph_is_named() -> None:
    with pytest.raises(GraphInputError, match="names node 4"):
        chat()[0].invoke("Where?", graph={"nodes": ["Varde"], "edges": [[0, "in", 4]]})


def test_an_option_that_it_lacks_is_refused() -> None:
    with pytest.raises(SettingsError, match="'tools'"):
        chat()[0].invoke("Where?", tools=[])


@pytest.mark.parametrize(
    "message",
    [
        HumanMessage([{"type": "image", "url": "http://127.0.0.1/x.png"}]),
        BaseMessage("x", type="function"),
    ],
)
def test_what_is_not_text_of_a_conversation_is_refused(message: BaseMessage) -> None:
    with pytest.raises(InputError):
        chat()[0].invoke([message])


def test_a_reply_that_ends_early_may_be_asked_for_again() -> None:
    with pytest.raises(CallFailedError) as caught:
        chat(REPLY[:1])[0].invoke("Where?")

    assert caught.value.failure.transient


@pytest.mark.parametrize(("status", "variable"), [(401, "_KEY"), (404, "HOPTRAIL_GRAPH_LLM")])
async def test_a_refusal_names_the_setting_to_look_at(status: int, variable: str) -> None:
    refusal: Any = httpx.Response(status, request=httpx.Request("POST", URL))
    error = openai.APIStatusError("no", response=refusal, body=None)

    with pytest.raises(ModelUnavailableError, match=variable):
        await chat((), error)[0].ainvoke("Where?")
