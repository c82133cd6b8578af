"""Whatever is done without the model that should have done it is told in the answer."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from hoptrail.agents.verification.model_marks import BY_WORDS_ALONE
from hoptrail.core.errors import ModelReplyError
from hoptrail.graphs.qa import build_qa, graph
from tests.ships import QUESTION, REPLY
from tests.unit.graphs.conftest import scripted

SUB_QUESTIONS = {"sub_questions": ["Which yard built the Morning Tern?", "Who founded #1?"]}
SPAN = {"spans": [{"text": "Morning Tern", "guess": "A ship."}]}
RULES = {"terminal": "a founder"}
NOTHING = ModelReplyError("no text")
# Telling parts of the prompts of DotRAG, whose roles are two alone.
CONCEPTS, CONSTRAINTS = "choose where a search", "A search starts at one concept"
JUDGE, NEXT_QUERY, ANSWER = "judge paths", "has not found", "HOP 1"


async def answer_of(preset: str, **context: Any) -> dict[str, Any]:
    chosen: Any = {
        "knowledge_base": "ships",
        "model": "scripted",
        "preset": preset,
        "search_rounds": 2,
        **context,
    }
    state = await graph.ainvoke({"question": QUESTION}, context=chosen)
    answer: dict[str, Any] = state["answer"]
    return answer


def nodes(answer: dict[str, Any]) -> list[str]:
    """Return the nodes that went on without the model, without the lines that tell why."""
    return [line for line in answer["degraded"] if " " not in line]


def searching(**replies: Any) -> None:
    """Script a search along paths that goes well but for the given replies."""
    usual = {CONCEPTS: SPAN, CONSTRAINTS: RULES, JUDGE: {"verdicts": []}, ANSWER: REPLY}
    by_part = {"concepts": CONCEPTS, "constraints": CONSTRAINTS, "judge": JUDGE}
    parts = {**by_part, "next_query": NEXT_QUERY, "answer": ANSWER}
    scripted(by_pattern={**usual, **{parts[name]: reply for name, reply in replies.items()}})


@pytest.mark.parametrize("failure", [TimeoutError(), NOTHING, ""])
async def test_a_sub_question_that_graph_search_answers(ships: str, failure: Any) -> None:
    scripted(by_role={"decomposer": SUB_QUESTIONS, "solver": failure, "answerer": REPLY})

    answer = await answer_of("dagr")

    assert (answer["answer"], nodes(answer)) == ("Edda Thorn", ["solve_step"])


async def test_a_sub_question_that_the_model_does_not_know_is_none(ships: str) -> None:
    unknown = "FINAL ANSWER: I don't know"
    scripted(by_role={"decomposer": SUB_QUESTIONS, "solver": unknown, "answerer": REPLY})

    assert (await answer_of("dagr"))["degraded"] == []


async def test_steps_and_an_answer_after_the_last_call(ships: str) -> None:
    scripted(by_role={"decomposer": SUB_QUESTIONS})

    answer = await answer_of("dagr", max_model_calls=1)

    assert answer["degraded"] == ["solve_step", "answer"]


@pytest.mark.parametrize(
    ("preset", "node"), [("dagr", "decompose"), ("lightrag", "write_keywords")]
)
async def test_a_plan_that_rules_made(ships: str, preset: str, node: str) -> None:
    solved = "FINAL ANSWER: Alder Yard"
    scripted(by_role={"decomposer": TimeoutError(), "solver": solved, "answerer": REPLY})

    assert nodes(await answer_of(preset)) == [node]


async def test_a_type_that_the_wording_gave_as_no_call_was_left(ships: str) -> None:
    scripted(by_role={"router": "bridge", "answerer": REPLY})

    answer = await answer_of("reasoning", max_tokens=0)

    assert answer["degraded"] == ["route", "answer"]


@pytest.mark.parametrize(
    ("reply", "told"),
    [("", "sent no text"), ("It was Edda Thorn, I am sure (P1).", "no FINAL ANSWER")],
)
@pytest.mark.parametrize("preset", ["reasoning", "vector"])
async def test_an_answerer_whose_reply_cannot_be_read(
    ships: str, preset: str, reply: str, told: str
) -> None:
    scripted(by_role={"router": "bridge", "answerer": [reply] * 3})

    answer = await answer_of(preset)

    assert answer["strategy"] == "graph_search"
    degraded = [*answer["degraded"]]
    assert "answer" in degraded
    assert [told in line for line in degraded if line.startswith("the answer is graph")] == [True]


@pytest.mark.parametrize("failure", [TimeoutError(), {"query": QUESTION}, {"query": ""}])
async def test_a_next_query_of_the_questions_own_words(ships: str, failure: Any) -> None:
    searching(next_query=failure)

    assert nodes(await answer_of("dotrag")) == ["explore"]


async def test_a_search_that_goes_well_is_none(ships: str) -> None:
    searching(next_query={"query": "founder of the yard"})

    assert (await answer_of("dotrag"))["degraded"] == []


@pytest.mark.parametrize("part", ["constraints", "judge"])
async def test_a_branch_without_its_model(ships: str, part: str) -> None:
    searching(**{"next_query": {"query": "founder of the yard"}, part: NOTHING})

    assert nodes(await answer_of("dotrag")) == ["explore"]


async def test_concepts_that_the_wording_gave(ships: str) -> None:
    searching(concepts=NOTHING, next_query={"query": "founder of the yard"})

    assert nodes(await answer_of("dotrag")) == ["lay_out"]


async def test_one_question_is_not_told_of_anothers(ships: str) -> None:
    scripted(
        by_role={
            "router": "bridge",
            "answerer": [TimeoutError(), REPLY],
            "decomposer": {"question": QUESTION},
        }
    )
    threads = build_qa().compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    context: Any = {"knowledge_base": ships, "model": "scripted", "preset": "reasoning"}

    first = await threads.ainvoke({"question": QUESTION}, config, context=context)
    second = await threads.ainvoke({"question": QUESTION}, config, context=context)

    assert nodes(first["answer"]) == ["answer"]
    assert second["answer"]["degraded"] == []


def checking(judge: Any) -> None:
    """Script an answer whose trail the model of the role `judge` checks."""
    scripted(by_role={"router": "bridge", "answerer": REPLY, "judge": judge})


async def test_a_model_marks_the_steps_in_one_call(ships: str) -> None:
    checking({"hops": [{"hop": 1, "state": "partly"}, {"hop": 2, "state": "stated"}]})

    answer = await answer_of("reasoning", verify="model")

    assert [hop["support"] for hop in answer["trail"]] == ["partly", "stated"]
    assert answer["perhaps_reason"] == "no passage states step 1 in so many words"
    assert answer["degraded"] == []
    assert answer["usage"]["by_node"]["verify"]["llm_calls"] == 1


@pytest.mark.parametrize("failure", [TimeoutError(), NOTHING, {"hops": []}])
async def test_marks_by_words_where_the_model_gives_none(ships: str, failure: Any) -> None:
    checking(failure)

    answer = await answer_of("reasoning", verify="model")

    assert [hop["support"] for hop in answer["trail"]] == ["stated", "stated"]
    assert nodes(answer) == ["verify"]
    assert BY_WORDS_ALONE in answer["degraded"]


async def test_marks_by_words_where_no_call_is_left(ships: str) -> None:
    checking({"hops": [{"hop": 1, "state": "none"}]})

    answer = await answer_of("reasoning", verify="model", max_model_calls=2)

    assert [hop["support"] for hop in answer["trail"]] == ["stated", "stated"]
    assert answer["degraded"] == ["verify", BY_WORDS_ALONE]


async def test_an_answer_without_a_model_is_checked_by_one(ships: str) -> None:
    checking({"hops": [{"hop": 1, "state": "partly"}, {"hop": 2, "state": "stated"}]})

    answer = await answer_of("offline", verify="model")

    assert [hop["support"] for hop in answer["trail"]] == ["partly", "stated"]
    assert (answer["degraded"], answer["usage"]["llm_calls"]) == ([], 1)


async def test_no_model_checks_unless_it_is_asked_for(ships: str) -> None:
    checking({"hops": [{"hop": 1, "state": "none"}, {"hop": 2, "state": "none"}]})

    answer = await answer_of("reasoning")

    assert [hop["support"] for hop in answer["trail"]] == ["stated", "stated"]
