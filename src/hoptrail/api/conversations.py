"""Where conversations are kept: the role, and what the settings choose for a knowledge base."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import Settings

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

_POSTGRES = ("postgresql://", "postgres://")


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
        ...

    def forget_quotes(self, doc_ids: Iterable[str]) -> None:
        """Write "deleted" wherever turns quote these documents.

        Answers stay as they were told, but for whole sentences of these documents.

        Raises:
            KnowledgeBaseLockedError: If another program keeps the turns to itself.
        """
        ...

    def load(self) -> None:
        """Import what stores the turns, which takes a while."""
        ...


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
        from hoptrail.api.sqlite_conversations import SqliteConversations

        return SqliteConversations(folder / "threads.sqlite")
    address = settings.checkpointer.get_secret_value()
    if not address.startswith(_POSTGRES):
        raise SettingsError(
            "setting checkpointer is no address of a PostgreSQL database",
            hint="use postgresql://USER:PASSWORD@HOST/DATABASE, or leave it out for SQLite",
        )
    from hoptrail.api.postgres_conversations import PostgresConversations

    return PostgresConversations(address, name)
