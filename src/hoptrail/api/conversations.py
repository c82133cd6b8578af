"""The conversations over a knowledge base: where they are kept, listed, read, deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Answer

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

_POSTGRES = ("postgresql://", "postgres://")
_BUSY_SECONDS = 1.0


class Conversations(Protocol):
    """Keeps the conversations over one knowledge base with LangGraph's checkpointers."""

    def open_turn(
        self, thread_id: str, *, wait_seconds: float
    ) -> AbstractAsyncContextManager[BaseCheckpointSaver[Any]]:
        """Yield what stores a turn, while no other process or task adds to that thread.

        Args:
            thread_id: The conversation.
            wait_seconds: How long to wait for a turn that is under way.

        Raises:
            ThreadBusyError: If that turn does not end in time.
        """
        ...

    def open_for_reading(self) -> AbstractContextManager[BaseCheckpointSaver[Any] | None]:
        """Yield what reads the turns; None where nothing was ever stored."""
        ...

    def thread_ids(self, saver: BaseCheckpointSaver[Any]) -> list[str]:
        """Return the ids of all threads, the latest first; `saver` is open for reading."""
        ...

    def config(self, thread_id: str) -> Any:
        """Return the LangGraph configuration that names a thread."""

    def forget_quotes(self, doc_ids: Iterable[str]) -> None:
        """Write "deleted" wherever turns quote these documents.

        Answers stay as they were told, but for whole sentences of these documents.

        Raises:
            KnowledgeBaseLockedError: If another program keeps the turns to itself.
        """

    def load(self) -> None:
        """Import what stores the turns, which takes a while."""


def open_conversations(settings: Settings, folder: Path, name: str) -> Conversations:
    """Return where the settings keep the conversations over a knowledge base; connects to nothing.

    Args:
        settings: `checkpointer` is the address of a PostgreSQL database, or not set.
        folder: The knowledge base: without a database, its conversations lie in it.
        name: Name of the base: in a database, bases of one name share their conversations.

    Raises:
        SettingsError: If `checkpointer` is something else.
        MissingExtraError: If the packages for PostgreSQL are not installed.
    """
    if settings.checkpointer is None:
        from hoptrail.api.conversation_stores import SqliteConversations

        return SqliteConversations(folder / "threads.sqlite")
    address = settings.checkpointer.get_secret_value()
    if not address.startswith(_POSTGRES):
        raise SettingsError(
            "setting checkpointer is no address of a PostgreSQL database",
            hint="use postgresql://USER:PASSWORD@HOST/DATABASE, or leave it out for SQLite",
        )
    from hoptrail.api.conversation_stores import PostgresConversations

    return PostgresConversations(address, name)


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
