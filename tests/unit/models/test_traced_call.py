from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from opentelemetry.trace import SpanKind

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelUnavailableError
from hoptrail.core.settings import Price, Settings
from hoptrail.core.tracing.spans import capturing
from hoptrail.models.chat import ChatModels, RoleModel, register_chat_model
from hoptrail.models.embedder_provider import wrap_embeddings
from hoptrail.models.traced_call import traced_call
from hoptrail.testing import ScriptedChatModel
from tests.recorded import Recorded
from tests.unit.models.test_remote_embedder import HashingEmbeddings

PROMPT: list[BaseMessage] = [HumanMessage("Who wrote it?")]
PRICES = {"own": Price(prompt=1e6, completion=0)}


def solver(model: Any, **settings: Any) -> RoleModel:
    register_chat_model("own", model)
    return ChatModels(Settings(model="own", max_retries=0, **settings)).for_role("solver")


async def test_call_tells_model_tokens_and_cost(recorded: Recorded) -> None:
    meter = Meter("solve")
    model = solver(ScriptedChatModel(replies=["Ada"]), prices=PRICES)

    await model.reply(PROMPT, meter=meter, temperature=0.2, max_tokens=50)

    told = recorded.attributes("chat own")
    assert recorded.named("chat own").kind is SpanKind.CLIENT
    assert told["gen_ai.operation.name"] == "chat"
    assert told["gen_ai.request.model"] == "own"
    assert told["gen_ai.request.temperature"] == 0.2
    assert told["gen_ai.request.max_tokens"] == 50
    assert told["gen_ai.usage.input_tokens"] == meter.usage.prompt_tokens
    assert told["gen_ai.usage.output_tokens"] == meter.usage.completion_tokens
    assert told["gen_ai.usage.cost"] == meter.usage.usd > 0
    assert told["hoptrail.role"] == "solver"


async def test_call_of_unknown_price_tells_no_cost(recorded: Recorded) -> None:
    await solver(ScriptedChatModel(replies=["Ada"])).reply(PROMPT, meter=Meter("solve"))
    assert "gen_ai.usage.cost" not in recorded.attributes("chat own")
    assert recorded.points("hoptrail.cost") == []


async def test_no_text_is_told_unless_it_may_be(recorded: Recorded) -> None:
    model = solver(ScriptedChatModel(replies=["It was Ada."]))
    await model.reply(PROMPT, meter=Meter("solve"))
    assert "Ada" not in recorded.texts() and "Who wrote" not in recorded.texts()


async def test_prompt_and_reply_are_told_in_both_forms_of_the_conventions(
    recorded: Recorded,
) -> None:
    model = solver(ScriptedChatModel(replies=["It was Ada."]))
    with capturing(True):
        await model.reply(PROMPT, meter=Meter("solve"))
    told = recorded.attributes("chat own")
    assert json.loads(told["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "Who wrote it?"}]}
    ]
    (reply,) = json.loads(told["gen_ai.output.messages"])
    assert reply["role"] == "assistant"
    assert reply["parts"] == [{"type": "text", "content": "It was Ada."}]
    assert json.loads(told["input.value"]) == [{"role": "user", "content": "Who wrote it?"}]
    assert told["input.mime_type"] == "application/json"
    assert told["output.value"] == "It was Ada."


async def test_call_of_a_tool_is_shown_as_output(recorded: Recorded) -> None:
    asked: Any = {"id": "c1", "name": "decide", "args": {"kind": "bridge"}}
    settings = Settings()
    with capturing(True), traced_call("chat", "own", settings) as call:
        call.tell_reply(AIMessage("", tool_calls=[asked]))
    assert json.loads(recorded.attributes("chat own")["output.value"])["tool_calls"] == [
        {"id": "c1", "name": "decide", "arguments": {"kind": "bridge"}}
    ]


async def test_failed_call_tells_its_tries(recorded: Recorded) -> None:
    with pytest.raises(ModelUnavailableError):
        await solver(ScriptedChatModel(replies=[TimeoutError()])).reply(PROMPT, meter=Meter("s"))
    failed = recorded.named("chat own")
    assert [event.name for event in failed.events] == ["hoptrail.failed_try"]
    assert recorded.attributes("chat own")["error.type"] == ModelUnavailableError.code
    ((labels, _),) = recorded.points("gen_ai.client.operation.duration")
    assert labels["error.type"] == ModelUnavailableError.code


async def test_tokens_are_counted_by_kind(recorded: Recorded) -> None:
    meter = Meter("solve")
    model = solver(ScriptedChatModel(replies=["It was Ada."]), prices=PRICES)
    await model.reply(PROMPT, meter=meter)
    counted = {
        labels["gen_ai.token.type"]: number
        for labels, number in recorded.points("gen_ai.client.token.usage")
    }
    assert counted == {"input": meter.usage.prompt_tokens, "output": meter.usage.completion_tokens}
    ((_, usd),) = recorded.points("hoptrail.cost")
    assert usd == meter.usage.usd


def test_served_embedder_is_an_embeddings_call(recorded: Recorded) -> None:
    wrap_embeddings(HashingEmbeddings(), Settings(), "of:the-test").embed(["Varde", "Ribe"])
    told = recorded.attributes("embeddings the-test")
    assert told["gen_ai.operation.name"] == "embeddings"
    assert told["gen_ai.usage.input_tokens"] > 0
    assert "gen_ai.usage.output_tokens" not in told
