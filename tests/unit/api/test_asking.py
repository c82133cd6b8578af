from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk
from langgraph.types import Overwrite

from hoptrail.api.asking import read_events
from hoptrail.core.types import (
    Answer,
    AnswerEvent,
    DraftEvent,
    HopEvent,
    NodeEvent,
    ReadingEvent,
    TokenEvent,
    TrailHop,
    WaitingEvent,
)

ANSWER = Answer("Who?", "Edda Thorn")
FINALIZED = ("updates", {"finalize": {"answer": ANSWER.to_contract()}})


async def read(*parts: tuple[str, Any]) -> list[Any]:
    async def stream() -> AsyncIterator[tuple[str, Any]]:
        for part in parts:
            yield part

    return [event async for event in read_events(stream())]


async def test_an_answer_that_no_model_streamed_is_one_token() -> None:
    assert await read(FINALIZED) == [
        NodeEvent("finalize"),
        TokenEvent("Edda Thorn"),
        AnswerEvent(ANSWER),
    ]


async def test_a_streamed_answer_is_not_told_twice() -> None:
    pieces: list[tuple[str, Any]] = [
        ("messages", (AIMessageChunk(content=text), {})) for text in ("Edda ", "", "Thorn")
    ]

    events = await read(*pieces, FINALIZED)

    assert [event.text for event in events if isinstance(event, TokenEvent)] == ["Edda ", "Thorn"]
    assert events[-1] == AnswerEvent(ANSWER)


async def test_whole_messages_of_a_thread_are_no_tokens() -> None:
    events = await read(("messages", (AIMessage("Edda Thorn"), {})))

    assert events == []


async def test_hops_and_seconds_of_nodes_are_told() -> None:
    hop = TrailHop(1, "Edda Thorn founded the Alder Yard")
    usage = {"answer": {"seconds": 1.5}}

    events = await read(
        ("custom", {"type": "hop", "hop": hop.to_json()}),
        ("custom", {"type": "waiting", "ahead": 1}),
        ("custom", {"type": "reading", "tokens": 900, "seconds": None}),
        ("custom", {"type": "reading", "tokens": 900, "seconds": 15.0, "read": 256}),
        ("custom", {"type": "draft", "text": "Boat"}),
        ("custom", {"type": "other"}),
        ("updates", {"answer": {"usage": usage}}),
        ("updates", {"contextualize": {"usage": Overwrite({"contextualize": {"seconds": 0.5}})}}),
        ("updates", {"retrieve": {}}),
    )

    assert events == [
        HopEvent(hop),
        WaitingEvent(1),
        ReadingEvent(900),
        ReadingEvent(900, 15.0, 256),
        DraftEvent("Boat"),
        NodeEvent("answer", 1.5),
        NodeEvent("contextualize", 0.5),
        NodeEvent("retrieve"),
    ]
