from __future__ import annotations

import pytest

from hoptrail.agents.router import Routing, parse_type, route, route_by_wording
from hoptrail.core.budget import Limits, Meter
from hoptrail.core.errors import BudgetExceededError
from hoptrail.core.settings import Settings
from hoptrail.core.types import QuestionType
from hoptrail.models.chat import ChatModels, RoleModel, register_chat_model
from hoptrail.testing import ScriptedChatModel

CHAIN = "Who was the first president of the association which published Maple Review?"


def role_model(model: ScriptedChatModel, role: str = "router") -> RoleModel:
    register_chat_model("scripted-router", model)
    return ChatModels(Settings(), {"default": "scripted-router"}).for_role(role)


@pytest.mark.parametrize(
    ("question", "question_type"),
    [
        (CHAIN, "bridge"),
        ("Where was the director of Red Fern born?", "bridge"),
        ("What is the capital of the country where Ida Holm died?", "bridge"),
        ("Which film was released first, Red Fern or Blue Moss?", "comparison"),
        ("Who is older, Ida Holm or Per Krogh?", "comparison"),
        ("Are Red Fern and Blue Moss both British films?", "comparison"),
        ("Do Ida Holm and Per Krogh have the same nationality?", "comparison"),
        ("Is the Elbe longer than the Thames?", "comparison"),
        ("Why did the bridge collapse?", "inference"),
    ],
)
def test_wording_tells_the_type(question: str, question_type: QuestionType) -> None:
    assert route_by_wording(question) == question_type


async def test_model_decides_in_five_tokens() -> None:
    model = ScriptedChatModel(by_role={"router": "**Comparison**."})
    meter = Meter("route")
    assert await route(CHAIN, role_model(model), meter) == Routing("comparison")
    assert meter.usage.llm_calls == 1
    assert model.calls[0].question == CHAIN


@pytest.mark.parametrize("reply", ["I think", "路由", ""])
async def test_unreadable_reply_falls_back_to_the_wording(reply: str) -> None:
    model = ScriptedChatModel(by_role={"router": reply})
    assert await route(CHAIN, role_model(model), Meter("route")) == Routing("bridge", degraded=True)


async def test_without_a_model_nothing_is_degraded() -> None:
    assert await route(CHAIN, None, Meter("route")) == Routing("bridge")


async def test_spent_budget_is_not_swallowed() -> None:
    model = ScriptedChatModel(by_role={"router": "bridge"})
    with pytest.raises(BudgetExceededError):
        await route(CHAIN, role_model(model), Meter("route", Limits(max_calls=0)))


def test_cut_off_word_is_understood() -> None:
    assert parse_type("Infer") == "inference"
