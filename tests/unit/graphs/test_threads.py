"""Whatever happened to a turn, the thread's next question is answered, and history is whole."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from hoptrail.agents.planning.contextualizer import turns_of
from hoptrail.graphs.context import Context
from hoptrail.graphs.conversation import answer_message
from hoptrail.graphs.qa import RECURSION_LIMIT, Graph, build_qa
from hoptrail.graphs.state import QuestionInput
from tests.ships import QUESTION
from tests.unit.graphs.conftest import scripted

OTHER = "Where was Edda Thorn born?"
CONFIG: Any = {"configurable": {"thread_id": "talk"}, "recursion_limit": RECURSION_LIMIT}
Ask = Callable[[str], QuestionInput]
PRESETS = ["offline", "reasoning", "dagr", "dotrag", "lightrag", "graphrag"]


def as_question(text: str) -> QuestionInput:
    return {"question": text}


def as_message(text: str) -> QuestionInput:
    return {"messages": [HumanMessage(text)]}


both_inputs = pytest.mark.parametrize("first", [as_question, as_message])
turns = pytest.mark.parametrize(
    ("preset", "first", "second"),
    [
        *[(preset, as_message, as_question) for preset in PRESETS],
        ("offline", as_question, as_question),
        ("offline", as_question, as_message),
        ("offline", as_message, as_message),
    ],
)


def in_thread(name: str) -> Any:
    return {**CONFIG, "configurable": {"thread_id": name}}


def context_of(preset: str) -> Context:
    scripted(replies=[TimeoutError()])
    base = "reported" if preset == "graphrag" else "ships"
    return Context(knowledge_base=base, preset=preset, model="scripted")


async def visited(preset: str) -> list[str]:
    """Return the nodes that a whole turn of a preset runs."""
    stream = (
        build_qa()
        .compile()
        .astream(as_question(QUESTION), CONFIG, context=context_of(preset), stream_mode="updates")
    )
    return list(dict.fromkeys([node async for update in stream for node in update]))


async def asked_next(
    graph: Graph, thread: str, given: QuestionInput, preset: str
) -> list[BaseMessage]:
    """Ask the other question and return the history, after checking that it was answered."""
    state = await graph.ainvoke(given, in_thread(thread), context=context_of(preset))
    assert state["answer"]["question"] == OTHER
    messages: list[BaseMessage] = state["messages"]
    return messages


def is_whole(messages: list[BaseMessage]) -> bool:
    kinds = [message.type for message in messages]
    return kinds == ["human", "ai"] * (len(kinds) // 2)


@turns
async def test_a_turn_left_at_a_breakpoint_does_not_answer_the_next_question(
    ships: str, reported: str, preset: str, first: Ask, second: Ask
) -> None:
    graph = build_qa().compile(checkpointer=InMemorySaver())
    for node in await visited(preset):
        graph.interrupt_before_nodes = [node]
        await graph.ainvoke(first(QUESTION), in_thread(node), context=context_of(preset))

        graph.interrupt_before_nodes = []
        history = await asked_next(graph, node, second(OTHER), preset)

        assert is_whole(history), node
        assert history[-2].text == OTHER


@turns
async def test_a_turn_that_failed_in_any_node_does_not_answer_the_next_question(
    ships: str, reported: str, preset: str, first: Ask, second: Ask
) -> None:
    saver = InMemorySaver()
    whole = build_qa().compile(checkpointer=saver)
    for node in await visited(preset):
        failing = failing_at(node).compile(checkpointer=saver)
        with pytest.raises(ZeroDivisionError):
            await failing.ainvoke(first(QUESTION), in_thread(node), context=context_of(preset))

        history = await asked_next(whole, node, second(OTHER), preset)

        assert is_whole(history), node
        assert len(history) == 2


def failing_at(node: str) -> Any:
    async def fail(state: Any) -> None:
        raise ZeroDivisionError

    builder = build_qa()
    del builder.nodes[node]
    return builder.add_node(node, fail)


@both_inputs
async def test_a_turn_resumed_from_its_breakpoint_answers_its_own_question(
    ships: str, first: Ask
) -> None:
    graph = build_qa().compile(checkpointer=InMemorySaver(), interrupt_before=["contextualize"])
    await graph.ainvoke(first(QUESTION), CONFIG, context=context_of("offline"))

    graph.interrupt_before_nodes = []
    state = await graph.ainvoke(None, CONFIG, context=context_of("offline"))

    assert state["answer"]["answer"] == "Edda Thorn"
    assert is_whole(state["messages"])


async def test_a_follow_up_leans_on_answered_turns_alone(ships: str) -> None:
    graph = build_qa().compile(checkpointer=InMemorySaver(), interrupt_before=["finalize"])
    await graph.ainvoke(as_message("Who was Oren Pascoe?"), CONFIG, context=context_of("offline"))
    graph.interrupt_before_nodes = []
    await graph.ainvoke(as_question(QUESTION), CONFIG, context=context_of("offline"))

    state = await graph.ainvoke(
        as_question("Where was she born?"), CONFIG, context=context_of("offline")
    )

    assert state["standalone_question"] == OTHER


async def test_a_question_wins_over_messages_that_come_with_it(ships: str) -> None:
    graph = build_qa().compile()
    before: list[AnyMessage] = [HumanMessage(QUESTION), AIMessage("Edda Thorn")]
    given: QuestionInput = {"question": OTHER, "messages": before}

    state = await graph.ainvoke(given, CONFIG, context=context_of("offline"))

    assert state["answer"]["question"] == OTHER
    assert [message.text for message in state["messages"]][:3] == [QUESTION, "Edda Thorn", OTHER]


def test_an_answer_with_reserve_is_known_as_such_to_later_turns() -> None:
    given = answer_message("Grace", None, None, perhaps=True)
    sure = answer_message("Ida Holm", None, None)
    turns = turns_of([HumanMessage("Who dug?"), given, HumanMessage("Who sang?"), sure])
    assert [turn.perhaps for turn in turns] == [True, False]


@pytest.mark.parametrize("is_thread", [True, False])
async def test_a_reference_means_a_thing_of_the_trail_in_a_thread_and_in_given_messages(
    ships: str, is_thread: bool
) -> None:
    graph = build_qa().compile(checkpointer=InMemorySaver())
    first = await graph.ainvoke(as_message(QUESTION), CONFIG, context=context_of("offline"))
    follow_up = "In which town did that yard stand?"
    told: list[AnyMessage] = [HumanMessage(QUESTION), AIMessage(first["answer"]["answer"])]
    given: QuestionInput = {"messages": [*told, HumanMessage(follow_up)]}

    state = await graph.ainvoke(
        as_message(follow_up) if is_thread else given,
        CONFIG if is_thread else in_thread("another"),
        context=context_of("offline"),
    )

    assert state["standalone_question"] == "In which town did Alder Yard stand?"


async def test_a_reference_to_nothing_known_is_asked_as_typed_and_told(ships: str) -> None:
    graph = build_qa().compile(checkpointer=InMemorySaver())
    await graph.ainvoke(as_message(QUESTION), CONFIG, context=context_of("offline"))
    told = 'othing said before tells what "{}" is: the question was asked as typed'

    state = await graph.ainvoke(
        as_message("Where was that composer born?"), CONFIG, context=context_of("offline")
    )
    assert state["standalone_question"] == "Where was that composer born?"
    answer = state["answer"]
    said = answer["answer"] if answer["abstained"] else answer["perhaps_reason"]
    assert told.format("that composer") in said

    plain = await graph.ainvoke(as_question(OTHER), CONFIG, context=context_of("offline"))
    assert (plain["unclear"], plain["answer"]["perhaps"]) == ("", False)
