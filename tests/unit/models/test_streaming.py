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
from hoptrail.testing import BrokenReply, ScriptedChatModel

PROMPT = [HumanMessage("Where was Ada born?")]
MARKER = "FINAL ANSWER:"


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
