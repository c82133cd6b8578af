from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from hoptrail.agents.planning.contextualizer import MAX_TURNS, contextualize, turns_of
from hoptrail.agents.planning.coreference import Turn
from hoptrail.core.types import Chunk
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


async def test_thanks_cost_no_call() -> None:
    model, script = scripted_role("decomposer")
    assert await contextualize("thanks!", HISTORY, model) == "thanks!"
    assert script.calls == []


@pytest.mark.parametrize(
    ("text", "standalone"),
    [
        ("The producer of Blue Moss was Per Krogh.", "Who is the producer?"),
        ("The producer of Red Fern was Per Krogh.", "Who is the producer of Red Fern?"),
    ],
)
async def test_role_is_joined_to_the_topic_where_the_passages_do_not_speak_against_it(
    text: str, standalone: str
) -> None:
    async def look_up(_: str) -> list[Chunk]:
        return [Chunk("c", "d", "Films", text, 0, len(text))]

    asked = await contextualize("Who is the producer?", HISTORY, None, look_up)
    assert asked == standalone


def test_turns_pair_questions_with_answers_and_keep_the_latest() -> None:
    messages: list[BaseMessage] = [HumanMessage("unanswered")]
    for number in range(MAX_TURNS):
        messages += [HumanMessage(f"q{number}"), AIMessage(f"a{number}")]
    turns = turns_of(messages)
    assert turns == [Turn(f"q{n}", f"a{n}") for n in range(MAX_TURNS)]
