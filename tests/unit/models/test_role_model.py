from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel

from hoptrail.core.budget import Limits, Meter
from hoptrail.core.errors import BudgetExceededError, ModelReplyError, ModelUnavailableError
from hoptrail.core.progress import ReplyProgress
from hoptrail.core.settings import Price, Settings
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import NodeUsage
from hoptrail.models.chat import ChatModels, RoleModel, register_chat_model
from hoptrail.models.local import model_files
from hoptrail.testing import ScriptedChatModel

PROMPT: list[BaseMessage] = [
    HumanMessage("Who?", additional_kwargs={"hoptrail": {"role": "solver", "question": "Who?"}})
]


class Person(BaseModel):
    name: str
    born: int = 0


def solver(model: Any, **settings: Any) -> RoleModel:
    register_chat_model("own", model)
    return ChatModels(Settings(model="own", **settings)).for_role("solver")


async def test_a_reply_is_text_and_counted() -> None:
    meter = Meter("solve")
    model = ScriptedChatModel(by_role={"solver": "It was Ada."})
    assert await solver(model).reply(PROMPT, meter=meter) == "It was Ada."
    assert meter.usage.llm_calls == 1
    assert meter.usage.prompt_tokens == estimate_tokens("Who?")
    assert meter.usage.completion_tokens == estimate_tokens("It was Ada.")


async def test_prices_of_the_settings_give_dollars() -> None:
    meter = Meter("solve")
    prices = {"own": Price(prompt=1e6, completion=0)}
    await solver(ScriptedChatModel(replies=["Ada"]), prices=prices).reply(PROMPT, meter=meter)
    assert meter.usage.usd == pytest.approx(estimate_tokens("Who?"))


async def test_a_model_with_tools_is_asked_through_one() -> None:
    model = ScriptedChatModel(replies=[Person(name="Ada", born=1815)])
    person = await solver(model).structured(PROMPT, Person, meter=Meter("solve"))
    assert person == Person(name="Ada", born=1815)
    assert model.calls[0].options["tools"]


async def test_a_model_without_tools_is_given_the_schema_as_text() -> None:
    model = ScriptedChatModel(replies=[{"name": "Ada"}], supports_tools=False)
    assert (await solver(model).structured(PROMPT, Person, meter=Meter("s"))).name == "Ada"
    assert '"born"' in model.calls[0].text


async def test_a_model_that_only_chats_can_give_typed_values() -> None:
    model = FakeListChatModel(responses=['Well: {"name": "Ada", "born": 1815}'])
    meter = Meter("solve")
    assert (await solver(model).structured(PROMPT, Person, meter=meter)).born == 1815
    assert meter.usage.completion_tokens > 0


async def test_prose_in_place_of_a_tool_call_is_asked_for_again_with_the_schema() -> None:
    model = ScriptedChatModel(replies=["It was Ada.", {"name": "Ada"}])
    meter = Meter("solve")
    assert (await solver(model).structured(PROMPT, Person, meter=meter)).name == "Ada"
    assert meter.usage.llm_calls == 2
    assert '"born"' in model.calls[1].text


async def test_two_unreadable_replies_are_an_error_after_two_calls() -> None:
    meter = Meter("solve")
    with pytest.raises(ModelReplyError, match="Person"):
        await solver(ScriptedChatModel(replies=["?"])).structured(PROMPT, Person, meter=meter)
    assert meter.usage.llm_calls == 2


async def test_no_call_is_left_for_asking_again() -> None:
    model = ScriptedChatModel(replies=["?"])
    with pytest.raises(BudgetExceededError):
        await solver(model).structured(PROMPT, Person, meter=Meter("s", Limits(max_calls=1)))
    assert len(model.calls) == 1


@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize(
    "message",
    [
        AIMessage(""),
        AIMessage(content=[]),
        AIMessage("", additional_kwargs={"refusal": "I will not"}),
        AIMessage("", response_metadata={"finish_reason": "length"}),
    ],
)
async def test_a_reply_without_text_is_an_error(message: AIMessage, shown: bool) -> None:
    with pytest.raises(ModelReplyError, match="no text"):
        await solver(ScriptedChatModel(replies=[message])).reply(
            PROMPT, meter=Meter("s"), shows_answer=shown
        )


async def test_a_refusal_is_named() -> None:
    refusal = AIMessage("", additional_kwargs={"refusal": "I will not"})
    with pytest.raises(ModelReplyError, match="refused"):
        await solver(ScriptedChatModel(replies=[refusal])).reply(PROMPT, meter=Meter("s"))


async def test_an_exception_of_the_model_is_a_model_error_and_counts() -> None:
    meter = Meter("solve")
    with pytest.raises(ModelUnavailableError, match="no memory left"):
        await solver(ScriptedChatModel(replies=[RuntimeError("no memory left")])).reply(
            PROMPT, meter=meter
        )
    assert meter.usage.llm_calls == 1


async def test_a_model_registered_anew_is_not_taken_for_the_old_one() -> None:
    await solver(ScriptedChatModel(replies=[{"name": "A"}], supports_tools=False)).structured(
        PROMPT, Person, meter=Meter("s")
    )
    model = ScriptedChatModel(replies=[{"name": "B"}])
    await solver(model).structured(PROMPT, Person, meter=Meter("s"))
    assert model.calls[0].options["tools"]


async def test_a_scored_reply_tells_how_likely_its_tokens_were() -> None:
    told = {"logprobs": {"content": [{"logprob": -0.5}, {"logprob": -1.5}]}}
    model = ScriptedChatModel(replies=[AIMessage("Ada", response_metadata=told)])
    reply = await solver(model).scored_reply(PROMPT, meter=Meter("solve"), max_tokens=9)
    assert reply.text == "Ada"
    assert reply.probability == pytest.approx(math.exp(-1))


async def test_a_scored_reply_can_be_followed_while_it_is_written() -> None:
    told: list[ReplyProgress] = []
    model = solver(ScriptedChatModel(replies=["the old boathouse"]))
    await model.scored_reply(PROMPT, meter=Meter("solve"), max_tokens=9, follow=told.append)
    assert len(told) > 1
    assert told[-1] == ReplyProgress("the old boathouse")


async def test_a_server_that_tells_no_probabilities_leaves_them_open() -> None:
    model = ScriptedChatModel(replies=["Ada"])
    reply = await solver(model).scored_reply(PROMPT, meter=Meter("solve"), max_tokens=9)
    assert (reply.text, reply.probability) == ("Ada", None)


async def test_half_a_character_of_a_reply_is_replaced() -> None:
    model = ScriptedChatModel(replies=["It was Ada \ud83d"])
    assert await solver(model).reply(PROMPT, meter=Meter("solve")) == "It was Ada ?"


def test_calls_of_a_served_model_take_as_long_as_their_replies_side_by_side() -> None:
    spent = NodeUsage(llm_calls=8, prompt_tokens=8_000, completion_tokens=800)
    assert solver(ScriptedChatModel()).calling_seconds(spent, concurrency=4) == pytest.approx(2.0)


def test_a_model_file_that_was_not_checked_is_taken_to_be_slow_and_works_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(model_files, "user_data_path", lambda *_, **__: tmp_path)
    model = ChatModels(Settings(model="gguf:a.gguf")).for_role("solver")
    spent = NodeUsage(llm_calls=8, prompt_tokens=6_400, completion_tokens=300)
    assert model.calling_seconds(spent, concurrency=4) == pytest.approx(110.0)
