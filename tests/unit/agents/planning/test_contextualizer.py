from __future__ import annotations

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from hoptrail.agents.planning.contextualizer import MAX_TURNS, Standalone, contextualize, turns_of
from hoptrail.agents.planning.coreference import Turn
from hoptrail.core.budget import Meter
from hoptrail.core.settings import Settings
from hoptrail.models.chat import ChatModels, RoleModel, register_chat_model
from hoptrail.testing import ScriptedChatModel

HISTORY: list[BaseMessage] = [HumanMessage("Who directed Red Fern?"), AIMessage("Ida Holm")]


def role_model(model: ScriptedChatModel) -> RoleModel:
    register_chat_model("scripted-contextualizer", model)
    return ChatModels(Settings(), {"default": "scripted-contextualizer"}).for_role("decomposer")


async def test_model_rewrites_with_the_conversation_before_it() -> None:
    model = ScriptedChatModel(replies=[{"question": "Where was Ida Holm born?"}])
    asked = await contextualize("Where was she born?", HISTORY, role_model(model), Meter("c"))
    assert asked == Standalone("Where was Ida Holm born?")
    assert "Question: Who directed Red Fern?\nAnswer: Ida Holm" in model.calls[0].text


async def test_first_question_costs_no_call() -> None:
    model = ScriptedChatModel(replies=[])
    asked = await contextualize("Where was she born?", [], role_model(model), Meter("c"))
    assert asked == Standalone("Where was she born?")
    assert model.calls == []


async def test_unreadable_replies_fall_back_to_rules() -> None:
    model = ScriptedChatModel(replies=["no", "no"])
    asked = await contextualize("Where was she born?", HISTORY, role_model(model), Meter("c"))
    assert asked == Standalone("Where was Ida Holm born?", degraded=True)


async def test_without_a_model_rules_decide() -> None:
    asked = await contextualize("Where was she born?", HISTORY, None, Meter("c"))
    assert asked == Standalone("Where was Ida Holm born?")


def test_turns_pair_questions_with_answers_and_keep_the_latest() -> None:
    messages: list[BaseMessage] = [HumanMessage("unanswered")]
    for number in range(MAX_TURNS):
        messages += [HumanMessage(f"q{number}"), AIMessage(f"a{number}")]
    turns = turns_of(messages)
    assert turns == [Turn(f"q{n}", f"a{n}") for n in range(MAX_TURNS)]
