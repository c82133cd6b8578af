"""A graph's raw stream read as Hoptrail's typed events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessageChunk
from langgraph.types import StreamMode

from hoptrail.core.types import (
    Answer,
    AnswerEvent,
    DraftEvent,
    Event,
    HopEvent,
    JsonDict,
    NodeEvent,
    ReadingEvent,
    TokenEvent,
    TrailHop,
    WaitingEvent,
)

STREAM_MODES: list[StreamMode] = ["updates", "messages", "custom"]


_TOLD: Mapping[str, Callable[[JsonDict], Event]] = {
    "waiting": lambda data: WaitingEvent(data["ahead"]),
    "reading": lambda data: ReadingEvent(data["tokens"], data["seconds"], data.get("read", 0)),
    "draft": lambda data: DraftEvent(data["text"]),
    "hop": lambda data: HopEvent(TrailHop.from_json(data["hop"])),
}


async def read_events(stream: AsyncIterator[Any]) -> AsyncGenerator[Event, None]:
    """Yield the events of a run streamed with `STREAM_MODES`, the answer last.

    Tokens are those of the user-visible answer; an answer that no model streamed is one token
    event, so that the tokens together always read as the answer.
    """
    streamed = False
    async for mode, data in stream:
        if mode == "messages" and isinstance(data[0], AIMessageChunk) and data[0].text:
            streamed = True
            yield TokenEvent(data[0].text)
        elif mode == "custom" and data.get("type") in _TOLD:
            yield _TOLD[data["type"]](data)
        elif mode == "updates":
            for node, update in data.items():
                yield NodeEvent(node, _seconds(node, update))
                if node == "finalize":
                    answer = Answer.from_contract(update["answer"])
                    if not streamed:
                        yield TokenEvent(answer.text)
                    yield AnswerEvent(answer)


def _seconds(node: str, update: dict[str, Any]) -> float:
    usage = update.get("usage") or {}
    by_node = getattr(usage, "value", usage)
    return float(by_node.get(node, {}).get("seconds", 0.0))
