"""The conversations that are kept over a knowledge base: listed, read, deleted."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hoptrail.api.conversations import Conversations
from hoptrail.core.errors import UnknownNameError
from hoptrail.core.types import Answer

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

_BUSY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation with at least one answer.

    Attributes:
        id: As given to `Hoptrail.ask`.
        turns: Answered questions.
        first_question: The question that it began with.
        updated: When it was last added to, ISO 8601.
        answer: The last answer; None where the last question was stopped or failed.
    """

    id: str
    turns: int
    first_question: str
    updated: str
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of a conversation and its answer.

    Attributes:
        asked: When, ISO 8601.
        answer: With its trail; `answer.question` is the question as asked.
    """

    asked: str
    answer: Answer


def list_threads(conversations: Conversations, limit: int) -> list[Thread]:
    """Return the conversations, the latest first."""
    with conversations.open_for_reading() as saver:
        if saver is None:
            return []
        kept: list[Thread] = []
        for thread_id in conversations.thread_ids(saver):
            if len(kept) == limit:
                break
            if (thread := _read(conversations, saver, thread_id)) is not None:
                kept.append(thread)
        return kept


def find_thread(conversations: Conversations, thread_id: str) -> Thread | None:
    """Return a conversation, None where there is none or it has no answer yet."""
    with conversations.open_for_reading() as saver:
        return None if saver is None else _read(conversations, saver, thread_id)


def list_turns(conversations: Conversations, thread_id: str) -> list[Turn]:
    """Return the answered questions of a conversation with their trails, the oldest first.

    A turn begins with a checkpoint that still holds the answer of the turn before; the last one
    holds its own.
    """
    with conversations.open_for_reading() as saver:
        if saver is None:
            return []
        config = conversations.config(thread_id)
        latest = saver.get_tuple(config)
        if latest is None:
            return []
        begun = list(saver.list(config, filter={"source": "input"}))
    turns: dict[str, Turn] = {}
    for beginning, end in pairwise([*reversed(begun), latest]):
        values = end.checkpoint["channel_values"]
        if values.get("answer"):
            # Where a turn was stopped at its very beginning, the answer of the one before stands.
            asked = beginning.checkpoint["ts"]
            turns.setdefault(
                values["message_id"], Turn(asked, Answer.from_contract(values["answer"]))
            )
    return list(turns.values())


async def delete_thread(conversations: Conversations, thread_id: str) -> None:
    """Delete a conversation.

    Raises:
        UnknownNameError: If there is none of that id.
        ThreadBusyError: If a question of it is being answered.
    """
    if await asyncio.to_thread(find_thread, conversations, thread_id) is None:
        known = await asyncio.to_thread(list_threads, conversations, 100)
        raise UnknownNameError("conversation", thread_id, [one.id for one in known])
    async with conversations.open_turn(thread_id, wait_seconds=_BUSY_SECONDS) as saver:
        await saver.adelete_thread(conversations.config(thread_id)["configurable"]["thread_id"])


def _read(
    conversations: Conversations, saver: BaseCheckpointSaver[Any], thread_id: str
) -> Thread | None:
    stored = saver.get_tuple(conversations.config(thread_id))
    if stored is None:
        return None
    values = stored.checkpoint["channel_values"]
    messages = values.get("messages", [])
    turns = sum(message.type == "ai" for message in messages)
    if not turns:
        return None
    told = values.get("answer")
    return Thread(
        id=thread_id,
        turns=turns,
        first_question=str(messages[0].text),
        updated=stored.checkpoint["ts"],
        answer=Answer.from_contract(told) if told else None,
    )
