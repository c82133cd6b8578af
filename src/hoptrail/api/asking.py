"""Questions to the compiled graphs: streamed, awaited, or as evidence alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from functools import cache
from typing import Any

from langchain_core.messages import AIMessageChunk
from langgraph.types import StreamMode

from hoptrail.api.conversations import Conversations
from hoptrail.core.errors import InputError
from hoptrail.core.tracing.spans import capturing, span, untraced
from hoptrail.core.types import (
    Answer,
    AnswerEvent,
    DraftEvent,
    Event,
    Evidence,
    HopEvent,
    JsonDict,
    NodeEvent,
    ReadingEvent,
    TokenEvent,
    TrailHop,
    WaitingEvent,
)
from hoptrail.graphs.context import Context
from hoptrail.graphs.conversation import Exchange, past_messages
from hoptrail.graphs.qa import Graph, build_gathering, graph
from hoptrail.graphs.state import shown_evidence
from hoptrail.services.request_services import call_tool, resolve_services

_WARM_UP = "Who founded the first mill?"
"""Any question will do: it passes through every part that a real one needs."""

STREAM_MODES: list[StreamMode] = ["updates", "messages", "custom"]


_TOLD: Mapping[str, Callable[[JsonDict], Event]] = {
    "waiting": lambda data: WaitingEvent(data["ahead"]),
    "reading": lambda data: ReadingEvent(data["tokens"], data["seconds"], data.get("read", 0)),
    "draft": lambda data: DraftEvent(data["text"]),
    "hop": lambda data: HopEvent(TrailHop.from_json(data["hop"])),
}


async def stream_question(
    question: str,
    context: Context,
    conversations: Conversations,
    *,
    thread_id: str | None,
    history: Sequence[Exchange] = (),
) -> AsyncGenerator[Event, None]:
    """Yield the events of one turn; the answer comes last, when its thread is stored and free.

    Args:
        question: As asked, or a follow-up in its thread.
        context: The choices of this turn.
        conversations: Keeps them.
        thread_id: Conversation to continue; None keeps nothing.
        history: What was asked and answered before, where no thread knows it.

    Raises:
        InputError: If the thread has no name, or an exchange of the history is none.
        ThreadBusyError: If another turn of the thread does not end within `max_seconds`.
    """
    if thread_id == "":  # one conversation of all who ask so
        raise InputError("a thread needs a name", hint="leave thread_id out to keep nothing")
    config: Any = {} if thread_id is None else conversations.config(thread_id)
    turn: AbstractAsyncContextManager[Any] = (
        nullcontext()
        if thread_id is None
        else conversations.open_turn(thread_id, wait_seconds=context.max_seconds)
    )
    wanted: Any = {"question": question}
    if history:
        wanted["messages"] = past_messages(history, context.document_filter)
    answer: AnswerEvent | None = None
    async with turn as saver:
        # False, not None: asked within an application's graph, it must not write into its threads.
        kept: Any = graph.copy({"checkpointer": saver or False})
        stream: Any = kept.astream(wanted, config, context=context, stream_mode=STREAM_MODES)
        async with aclosing(stream), aclosing(read_events(stream)) as events:
            async for event in events:
                if isinstance(event, AnswerEvent):
                    answer = event  # given when the turn is stored: its asker may leave then
                else:
                    yield event
    if answer is not None:
        yield answer


async def ask_question(
    question: str,
    context: Context,
    conversations: Conversations,
    *,
    thread_id: str | None,
    history: Sequence[Exchange] = (),
) -> Answer:
    """Return the answer of one turn; arguments as of `stream_question`."""
    events = stream_question(question, context, conversations, thread_id=thread_id, history=history)
    answers = [event.answer async for event in events if isinstance(event, AnswerEvent)]
    return answers[-1]


async def gather_evidence(question: str, context: Context) -> Evidence:
    """Return the evidence that an answer call would be sent; calls no model."""
    chosen = context.model_copy(update={"max_model_calls": 0})
    services = await asyncio.to_thread(resolve_services, chosen)
    told = {"openinference.span.kind": "CHAIN"}
    with capturing(services.captures_content), span("gather_evidence", told) as one:
        one.set_shown("input", question)
        state: Any = await _gathering().ainvoke({"question": question}, context=chosen)
        evidence: Evidence = await call_tool(
            services.tools["hydrate_evidence"], references=shown_evidence(state)
        )
        one.set_shown("output", "\n".join(evidence.summary()))
    return evidence


@cache
def _gathering() -> Graph:
    """Return the nodes up to the evidence, compiled once: that takes longer than some questions."""
    return build_gathering().compile()


async def warm_up(context: Context) -> None:
    """Load what a turn will use: tools, arrays, the model's client; asks no model.

    Raises:
        HoptrailError: As a question would.
    """
    without_model = context.model_copy(update={"max_model_calls": 0})
    with untraced():
        await graph.ainvoke({"question": _WARM_UP}, context=without_model)
    models = (await asyncio.to_thread(resolve_services, context)).models
    if not models.has_none("answerer"):
        await models.for_role("answerer").token_counter()  # opens the client


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
