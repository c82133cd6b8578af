"""The conversations that are kept beside a knowledge base: listed, found, deleted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.api.threads import open_thread
from hoptrail.core.errors import UnknownNameError
from hoptrail.core.types import Answer

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

_LATEST = (
    "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' GROUP BY thread_id"
    " ORDER BY max(checkpoint_id) DESC"
)
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


def list_threads(threads: Path, limit: int) -> list[Thread]:
    """Return the conversations of a file, the latest first."""
    with _reading(threads) as saver:
        if saver is None:
            return []
        with saver.cursor(transaction=False) as cursor:
            ids = [row[0] for row in cursor.execute(_LATEST)]
        kept: list[Thread] = []
        for thread_id in ids:
            if len(kept) == limit:
                break
            if (thread := _read(saver, thread_id)) is not None:
                kept.append(thread)
        return kept


def find_thread(threads: Path, thread_id: str) -> Thread | None:
    """Return a conversation, None where there is none or it has no answer yet."""
    with _reading(threads) as saver:
        return None if saver is None else _read(saver, thread_id)


async def delete_thread(threads: Path, thread_id: str) -> None:
    """Delete a conversation.

    Raises:
        UnknownNameError: If there is none of that id.
        ThreadBusyError: If a question of it is being answered.
    """
    if find_thread(threads, thread_id) is None:
        known = [one.id for one in list_threads(threads, 100)]
        raise UnknownNameError("conversation", thread_id, known)
    async with open_thread(thread_id, threads, wait_seconds=_BUSY_SECONDS) as saver:
        if saver is not None:
            await saver.adelete_thread(thread_id)


@contextmanager
def _reading(threads: Path) -> Iterator[SqliteSaver | None]:
    """Yield what reads the file; None where there is no file, for opening it would make one."""
    if not threads.exists():
        yield None
        return
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(str(threads)) as saver:
        yield saver


def _read(saver: SqliteSaver, thread_id: str) -> Thread | None:
    config: Any = {"configurable": {"thread_id": thread_id}}
    stored = saver.get_tuple(config)
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
