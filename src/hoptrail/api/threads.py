"""Conversations kept beside a knowledge base, one turn at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import ThreadBusyError

if TYPE_CHECKING:
    from filelock import AsyncFileLock
    from langgraph.checkpoint.base import BaseCheckpointSaver


@asynccontextmanager
async def open_thread(
    thread_id: str | None, threads: Path, *, wait_seconds: float
) -> AsyncIterator[BaseCheckpointSaver[Any] | None]:
    """Yield what stores a turn of a thread, while no other process or task adds to that thread.

    Args:
        thread_id: The conversation; None yields None, and nothing is stored.
        threads: SQLite file that keeps the conversations.
        wait_seconds: How long to wait for a turn that is under way.

    Raises:
        ThreadBusyError: If that turn does not end in time.
    """
    if thread_id is None:
        yield None
        return
    from filelock import Timeout
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    lock = _lock_of(thread_id, threads)
    try:
        await lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise ThreadBusyError(
            f"thread {thread_id!r} is still answering another question",
            hint="wait until it is done, or use another thread",
        ) from error
    try:
        async with AsyncSqliteSaver.from_conn_string(str(threads)) as saver:
            yield saver
    finally:
        await lock.release()


def load_checkpointer() -> None:
    """Import what stores the turns, which takes a while."""
    import_module("langgraph.checkpoint.sqlite.aio")


def _lock_of(thread_id: str, threads: Path) -> AsyncFileLock:
    # A file per thread: two turns of different threads never wait for each other.
    from filelock import AsyncFileLock

    folder = threads.with_suffix(".locks")
    folder.mkdir(exist_ok=True)
    return AsyncFileLock(folder / f"{sha256(thread_id.encode()).hexdigest()[:16]}.lock")
