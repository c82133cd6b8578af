from __future__ import annotations

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from hoptrail.agents.planning.contextualizer import MAX_TURNS, contextualize, turns_of
from hoptrail.agents.planning.coreference import Turn
from tests.unit.agents.role_models import scripted_role

HISTORY: list[BaseMessage] = [HumanMessage("Who directed Red Fern?"), AIMessage("Ida Holm")]


async def test_model_rewrites_with_the_conversation_before_it() -> None:
    model, script = scripted_role("decomposer", {"question": "Where was Ida Holm born?"})
    asked = await contextualize("Where was she born?", HISTORY, model)
    assert asked == "Where was Ida Holm born?"
    assert "Question: Who directed Red Fern?\nAnswer: Ida Holm" in script.calls[0].text


async def test_first_question_costs_no_call() -> None:
    model, script = scripted_role("decomposer")
    asked = await contextualize("Where was she born?", [], model)
    assert asked == "Where was she born?"
    assert script.calls == []


async def test_unreadable_replies_fall_back_to_rules() -> None:
    model, _ = scripted_role("decomposer", "no", "no")
    asked = await contextualize("Where was she born?", HISTORY, model)
    assert asked == "Where was Ida Holm born?"
    assert model.meter.degraded


async def test_without_a_model_rules_decide() -> None:
    asked = await contextualize("Where was she born?", HISTORY, None)
    assert asked == "Where was Ida Holm born?"


def test_turns_pair_questions_with_answers_and_keep_the_latest() -> None:
    messages: list[BaseMessage] = [HumanMessage("unanswered")]
    for number in range(MAX_TURNS):
        messages += [HumanMessage(f"q{number}"), AIMessage(f"a{number}")]
    turns = turns_of(messages)
    assert turns == [Turn(f"q{n}", f"a{n}") for n in range(MAX_TURNS)]
