from __future__ import annotations

from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelUnavailableError
from hoptrail.core.settings import Settings
from hoptrail.models.chat import ChatModels, RoleModel, register_chat_model
from hoptrail.models.streamed_reply import FinalAnswerSplitter
from hoptrail.testing import BrokenReply, ScriptedChatModel

PROMPT = [HumanMessage("Where was Ada born?")]
MARKER = "FINAL ANSWER:"
LONG = "The town of Whitby in Yorkshire, which lies on the coast of the North Sea"


class State(TypedDict):
    messages: Annotated[list[Any], add_messages]


def role_model(name: str, *replies: Any) -> RoleModel:
    register_chat_model(name, ScriptedChatModel(replies=list(replies)))
    return ChatModels(Settings(model=name, max_retries=2)).for_role("answerer")


async def streamed(model: RoleModel, message_id: str = "answer-1") -> tuple[str, list[str], Any]:
    """Return the streamed text, the ids of its messages, and the full reply or the error."""
    outcome: list[Any] = []

    async def answer(state: State) -> dict[str, Any]:
        await model.reply(PROMPT, meter=Meter("answer"))
        try:
            raw = await model.reply(
                PROMPT, meter=Meter("answer"), shows_answer=True, message_id=message_id
            )
        except ModelUnavailableError as error:
            outcome.append(error)
            return {}
        outcome.append(raw)
        text = raw.partition(MARKER)[2].strip()
        return {"messages": [AIMessage(text, id=message_id)]}

    graph = StateGraph(State).add_node("answer", answer).add_edge(START, "answer")
    app = graph.add_edge("answer", END).compile()
    messages: list[Any] = [
        message async for message, _ in app.astream({"messages": []}, stream_mode="messages")
    ]
    return "".join(m.text for m in messages), [m.id for m in messages], outcome[0]


async def test_only_the_text_after_the_marker_is_streamed_and_all_of_it_returned() -> None:
    answer = "the quite long name of a town that lies in the far north of England"
    reply = f"First I think about it. {MARKER} {answer}"
    text, ids, raw = await streamed(role_model("stream-one", "not shown", reply))
    assert text == answer
    assert raw == reply
    assert len(ids) > 3


async def test_the_answer_a_node_returns_under_the_same_id_is_not_shown_twice() -> None:
    text, ids, _ = await streamed(role_model("stream-id", "not shown", f"{MARKER} London"))
    assert text == "London"
    assert set(ids) == {"answer-1"}


async def test_an_abstention_is_not_streamed_but_the_nodes_own_message_is() -> None:
    model = role_model("stream-abstain", "not shown", f"Hm. {MARKER} I don't know.")
    text, ids, _ = await streamed(model)
    assert text == "I don't know."
    assert len(ids) == 1


async def test_a_connection_lost_before_the_answer_began_is_tried_again() -> None:
    broken = BrokenReply("First I think", ConnectionResetError("gone"))
    model = role_model("stream-retry", "not shown", broken, f"{MARKER} London")
    text, _, raw = await streamed(model)
    assert text == "London"
    assert raw == f"{MARKER} London"


async def test_a_connection_lost_within_the_shown_answer_is_a_clean_error() -> None:
    begun = f"{MARKER} " + "London and all that lies around it " * 3
    broken = BrokenReply(begun, ConnectionResetError("gone"))
    text, _, error = await streamed(role_model("stream-lost", "not shown", broken, "other"))
    assert text.startswith("London and all")
    assert isinstance(error, ModelUnavailableError)


@pytest.mark.parametrize("reply", ["no marker at all", f"{MARKER}", f"{MARKER} \n\n"])
async def test_a_reply_without_an_answer_streams_nothing(reply: str) -> None:
    model = role_model("stream-none", "not shown", reply)
    text, _, raw = await streamed(model)
    assert text == ""
    assert raw == reply


def shown(reply: str, size: int) -> str:
    splitter = FinalAnswerSplitter()
    pieces = [reply[start : start + size] for start in range(0, len(reply), size)]
    return "".join([*map(splitter.feed, pieces), splitter.feed("", complete=True)])


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Hm.\nFINAL ANSWER: Whitby", "Whitby"),
        ("Hm.\n**FINAL ANSWER:** Whitby", "Whitby"),
        ("**Final answer: Whitby**\n", "Whitby"),
        ("FINAL ANSWER:\n\nWhitby\nBecause of the sea.", "Whitby"),
        (f"FINAL ANSWER: {LONG}**\nand more", LONG),
        ("<think>FINAL ANSWER: York</think>FINAL ANSWER: Whitby", "Whitby"),
        ("<think>no end FINAL ANSWER: York", ""),
        ("FINAL ANSWER: I don't know.", ""),
        (f"FINAL ANSWER: I don't know, because {LONG} is not mentioned", ""),
        ("no marker", ""),
        ("FINAL ANSWER:", ""),
        ("", ""),
    ],
)
def test_the_answer_is_cut_out_however_the_reply_is_cut(reply: str, answer: str, size: int) -> None:
    assert shown(reply, size) == answer


def test_a_long_answer_is_shown_before_it_is_complete() -> None:
    splitter = FinalAnswerSplitter()
    assert splitter.feed(f"FINAL ANSWER: {LONG}") == LONG
    assert splitter.feed(" of England") == " of England"


def test_a_short_beginning_is_held_back() -> None:
    splitter = FinalAnswerSplitter()
    assert splitter.feed("FINAL ANSWER: I do") == ""
    assert splitter.feed(" remember Whitby", complete=True) == "I do remember Whitby"


def test_what_is_shown_of_an_answer_can_be_chosen() -> None:
    def present(text: str, complete: bool) -> str:
        return text.strip().upper() if complete else text.strip().upper()[:6]

    splitter = FinalAnswerSplitter(present=present)
    assert splitter.feed("FINAL ANSWER: Whitby\n\nYork") == "WHITBY"
    assert splitter.feed("", complete=True) == "\n\nYORK"
