from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from hoptrail.agents.planning.contextualizer import (
    MAX_TURNS,
    RoleTopic,
    contextualize,
    joined_topic,
    turns_of,
)
from hoptrail.agents.planning.coreference import Understood
from hoptrail.agents.planning.turns import Turn
from hoptrail.core.reply_conventions import STANDALONE_MARK, TRAIL_MARK
from hoptrail.core.types import Chunk
from tests.unit.agents.planning.sources import sources_with
from tests.unit.agents.role_models import scripted_role

HISTORY: list[BaseMessage] = [HumanMessage("Who directed Red Fern?"), AIMessage("Ida Holm")]

QUESTION = "Who is the treasurer?"


async def test_model_rewrites_with_the_conversation_before_it() -> None:
    model, script = scripted_role("decomposer", {"question": "Where was Ida Holm born?"})
    asked = await contextualize("Where was she born?", HISTORY, model)
    assert asked == Understood("Where was Ida Holm born?")
    assert "Question: Who directed Red Fern?\nAnswer: Ida Holm" in script.calls[0].text


async def test_first_question_costs_no_call() -> None:
    model, script = scripted_role("decomposer")
    asked = await contextualize("Where was she born?", [], model)
    assert asked == Understood("Where was she born?")
    assert script.calls == []


async def test_unreadable_replies_fall_back_to_rules() -> None:
    model, _ = scripted_role("decomposer", "no", "no")
    asked = await contextualize("Where was she born?", HISTORY, model)
    assert asked == Understood("Where was Ida Holm born?")
    assert model.meter.degraded


async def test_without_a_model_rules_decide() -> None:
    asked = await contextualize("Where was she born?", HISTORY, None)
    assert asked == Understood("Where was Ida Holm born?")


async def test_thanks_cost_no_call() -> None:
    model, script = scripted_role("decomposer")
    assert await contextualize("thanks!", HISTORY, model) == Understood("thanks!")
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
    sources = sources_with({"Films": text})
    asked = await contextualize("Who is the producer?", HISTORY, None, sources)
    assert asked == Understood(standalone)


def test_turns_pair_questions_with_answers_and_keep_the_latest() -> None:
    messages: list[BaseMessage] = [HumanMessage("unanswered")]
    for number in range(MAX_TURNS):
        messages += [HumanMessage(f"q{number}"), AIMessage(f"a{number}")]
    turns = turns_of(messages)
    assert turns == [Turn(f"q{n}", f"a{n}") for n in range(MAX_TURNS)]


def test_turns_know_how_they_were_understood_and_what_their_trail_names() -> None:
    marks = {STANDALONE_MARK: "Where was Ida Holm born?", TRAIL_MARK: ["Varde", "Ida Holm"]}
    messages = [HumanMessage("Where was she born?"), AIMessage("Varde", additional_kwargs=marks)]
    known = Turn(
        "Where was she born?",
        "Varde",
        standalone="Where was Ida Holm born?",
        trail=("Varde", "Ida Holm"),
    )
    assert turns_of(messages) == [known]


async def test_trail_of_a_turn_that_its_asker_kept_is_looked_for_once_more() -> None:
    sources = sources_with(
        {"Varde": "Varde is a town on the River Holm.", "River Holm": "The River Holm is a river."},
        trail=("River Holm", "Varde", "Ida Holm"),
    )
    history: list[BaseMessage] = [
        HumanMessage("On which river was the director of Red Fern born?"),
        AIMessage("River Holm"),
    ]
    asked = await contextualize("And who founded that town?", history, None, sources)
    assert asked == Understood("And who founded Varde?")


def passage(title: str, text: str) -> Chunk:
    return Chunk("c", title, title, text, 0, len(text))


BOARD = passage("The board", "Office: Treasurer; Name: Joss Lindqvist")
INN = passage("Inn", "The landlady of the Red Lion is Berta Holt.")


def test_the_topic_of_a_joined_question_is_read() -> None:
    joined = joined_topic(QUESTION, "Who is the treasurer of the Red Lion?")

    assert joined == RoleTopic("treasurer", "the Red Lion")


@pytest.mark.parametrize("standalone", [QUESTION, "Who is Ann Lee?"])
def test_a_question_that_was_joined_to_nothing_has_no_topic(standalone: str) -> None:
    assert joined_topic(QUESTION, standalone) is None


def test_a_role_of_which_passages_tell_without_the_topic_is_of_another() -> None:
    assert RoleTopic("treasurer", "the Red Lion").is_of_another([BOARD, INN])


@pytest.mark.parametrize(
    "passages",
    [
        [INN],
        [BOARD, passage("Red Lion", "The treasurer is Ann Lee.")],
    ],
)
def test_a_role_is_the_topics_where_nothing_or_a_passage_of_both_tells_of_it(
    passages: list[Chunk],
) -> None:
    assert not RoleTopic("treasurer", "the Red Lion").is_of_another(passages)
