"""Preset `auto`: a call that reads on, and a second method where a reader took nothing apart."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from hoptrail.graphs.qa import graph
from tests.ships import QUESTION, REPLY
from tests.unit.graphs.conftest import scripted

UNKNOWN = "FINAL ANSWER: I don't know"
WRONG = "FINAL ANSWER: Notice"  # a name that nothing joins to the question's
STUCK = """HOPS:
HOP 1: Morning Tern | built at | Alder Yard | P1
HOP 2: Alder Yard | sold to | UNKNOWN | -
FINAL ANSWER: I don't know"""


async def ask(question: str = QUESTION, **context: Any) -> dict[str, Any]:
    chosen = {"knowledge_base": "ships", "model": "scripted", **context}
    state: dict[str, Any] = await graph.ainvoke({"question": question}, context=chosen)
    return state


def script(*answers: str) -> Any:
    return scripted(by_role={"router": "bridge", "solver": UNKNOWN, "answerer": list(answers)})


async def test_a_verified_answer_costs_no_further_call(ships: str) -> None:
    script(REPLY)

    state = await ask()

    assert (state["answer"]["presets"], state["attempts"]) == (["growth"], [])


async def test_a_reader_that_takes_nothing_apart_leaves_it_to_sub_questions(ships: str) -> None:
    script(UNKNOWN, REPLY)

    state = await ask()

    assert state["answer"]["presets"] == ["growth", "dagr"]
    assert (state["answer"]["preset"], state["answer"]["answer"]) == ("dagr", "Edda Thorn")


async def test_a_reader_that_named_what_is_open_is_not_asked_in_another_way(ships: str) -> None:
    model = script(STUCK)

    state = await ask()

    assert (state["answer"]["presets"], state["answer"]["abstained"]) == (["growth"], True)
    assert state["answer"]["stop_reason"] == "nothing_new"
    assert len(model.calls_of("answerer")) == 1


async def test_an_answer_that_is_no_better_borne_out_does_not_replace_the_first(
    ships: str,
) -> None:
    script(WRONG, UNKNOWN)

    state = await ask()

    assert state["answer"]["presets"] == ["growth", "dagr"]
    assert (state["answer"]["preset"], state["answer"]["answer"]) == ("growth", "Notice")


async def test_parameters_of_the_first_retriever_rule_out_a_second_method(ships: str) -> None:
    script(WRONG, UNKNOWN)

    state = await ask(parameters={"k": 5})

    assert (state["answer"]["presets"], state["answer"]["answer"]) == (["growth"], "Notice")


async def test_the_state_shows_what_each_attempt_came_to(ships: str) -> None:
    script(UNKNOWN, REPLY)

    state = await ask()

    first, second = state["attempts"]
    assert (first["preset"], first["draft"]["answers"]) == ("growth", [])
    assert (second["preset"], second["draft"]["answers"]) == ("dagr", ["Edda Thorn"])


async def test_a_named_preset_is_never_left(ships: str) -> None:
    script(UNKNOWN)

    state = await ask(preset="reasoning")

    assert state["answer"]["presets"] == ["reasoning"]


async def test_without_a_call_left_the_first_outcome_stands_and_says_why(ships: str) -> None:
    script(UNKNOWN)

    state = await ask(max_model_calls=2)

    assert state["answer"]["abstained"]
    assert state["answer"]["stop_reason"] == "budget_calls"
    assert state["answer"]["usage"]["llm_calls"] == 2


async def test_where_no_model_may_be_asked_nothing_is_tried_twice(ships: str) -> None:
    script(REPLY)

    state = await ask("Who sank the Evening Gull?", max_model_calls=0)

    assert (state["answer"]["presets"], state["answer"]["abstained"]) == (["growth"], True)
    assert state["answer"]["stop_reason"] == "abstained"


@pytest.mark.parametrize("answers", [(WRONG, REPLY), (WRONG, UNKNOWN), (UNKNOWN, REPLY)])
async def test_one_answer_is_streamed_whichever_is_given(
    ships: str, answers: tuple[str, ...]
) -> None:
    script(*answers)
    context: Any = {"knowledge_base": ships, "model": "scripted"}
    texts: list[str] = []
    hops: list[str] = []
    answer: dict[str, Any] = {}

    stream = graph.astream(
        {"question": QUESTION}, context=context, stream_mode=["messages", "custom", "updates"]
    )
    async for mode, data in stream:
        if mode == "messages" and isinstance(data[0], AIMessage):
            texts.append(data[0].text)
        elif mode == "custom" and data["type"] == "hop":
            hops.append(data["hop"]["claim"])
        elif "finalize" in data:
            answer = data["finalize"]["answer"]

    assert "".join(texts) == answer["answer"]
    assert hops == [hop["claim"] for hop in answer["trail"]]
