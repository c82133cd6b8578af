"""The list of threads: which there are, whose, on which base, and what they are called.

What was said in them is kept by each base's `Conversations`; LangGraph's store, in the same kind of
database, keeps this list.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from hoptrail.api.conversation_stores import postgres_told, setup_lock
from hoptrail.core.errors import UnknownNameError
from hoptrail.core.optional import require
from hoptrail.core.settings import Settings
from hoptrail.core.types import JsonDict, Record
from hoptrail.web.keys import PERSON, Access

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore, Item, SearchItem
    from langgraph.store.postgres.base import PoolConfig

LONGEST_TITLE = 200
"""Characters; a longer one is cut."""

_PAGE = 500
_TOKEN_BYTES = 16
_LINKS = ("shared",)
_MOST_CONNECTIONS = 4
_CONNECTION_SECONDS = 10.0  # for which one is waited where the database is away


@dataclass(frozen=True, slots=True)
class ThreadEntry(Record):
    """A thread as its owner lists it.

    Attributes:
        id: Its id.
        title: Its name.
        base: Name of the knowledge base that it is about.
        created: When it was made, ISO 8601.
        updated: When it was last answered in or renamed.
    """

    id: str
    title: str
    base: str
    created: str
    updated: str


@dataclass(frozen=True, slots=True)
class SharedThread(Record):
    """A link by which others may read a thread.

    Attributes:
        token: Secret of the link, 128 random bits.
        thread: Id of the thread.
        place: Where its owner's threads are listed.
        created: When the link was made, ISO 8601.
        expires: From when on it shows nothing.
    """

    token: str
    thread: str
    place: tuple[str, ...]
    created: str
    expires: str

    @property
    def scope(self) -> str:
        """Name of the part of the documents that the thread was held over, as of `Access.scope`."""
        return self.place[-1]


def new_thread(base: str, title: str) -> ThreadEntry:
    """Return a thread that is on no list yet."""
    now = _now()
    return ThreadEntry(uuid4().hex, _shown(title), base, now, now)


class ThreadList:
    """Keeps the threads of all askers apart.

    Args:
        store: Holds them.
        told: In it what the store raises is turned into a HoptrailError.
    """

    def __init__(
        self, store: BaseStore, told: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._store = store
        self._told = told

    async def add(self, access: Access, entry: ThreadEntry) -> None:
        """Put a thread on the list."""
        await self._put(access, entry)

    async def find(self, access: Access, thread_id: str) -> ThreadEntry:
        """Return a thread.

        Raises:
            UnknownNameError: If this asker has none of that id.
        """
        item = await self._get(_place(access), thread_id) if _is_key(thread_id) else None
        if item is None:
            raise UnknownNameError("thread", thread_id, (), listing="list them to see their ids")
        return ThreadEntry.from_json(item.value)

    async def latest(
        self, access: Access, bases: Collection[str], *, limit: int, offset: int
    ) -> tuple[list[ThreadEntry], bool]:
        """Return threads about these bases, the latest first, and whether there are more."""
        wanted = offset + limit + 1
        found: list[ThreadEntry] = []
        begin = 0
        while len(found) < wanted:
            items = await self._page(_place(access), begin)
            entries = [ThreadEntry.from_json(item.value) for item in items]
            # The store knows the time to the second.
            entries.sort(key=lambda entry: entry.updated, reverse=True)
            found += [entry for entry in entries if entry.base in bases]
            begin += _PAGE
            if len(items) < _PAGE:
                break
        return found[offset : offset + limit], len(found) > offset + limit

    async def rename(self, access: Access, thread_id: str, title: str) -> ThreadEntry:
        """Give a thread another title."""
        entry = await self.find(access, thread_id)
        renamed = replace(entry, title=_shown(title), updated=_now())
        await self._put(access, renamed)
        return renamed

    async def touch(self, access: Access, thread_id: str) -> None:
        """Make a thread the latest; one that was deleted meanwhile stays deleted."""
        with suppress(UnknownNameError):
            # Read anew: it may have another title by now.
            entry = await self.find(access, thread_id)
            await self._put(access, replace(entry, updated=_now()))

    async def remove(self, access: Access, entry: ThreadEntry) -> None:
        """Take a thread off the list, and end its link."""
        await self.unshare(access, entry.id)
        await self._delete(_place(access), entry.id)

    async def share(self, access: Access, thread_id: str, days: int) -> SharedThread:
        """Make a link to a thread of this asker; one that it had before ends."""
        await self.unshare(access, thread_id)
        now = datetime.now(UTC)
        shared = SharedThread(
            secrets.token_urlsafe(_TOKEN_BYTES),
            thread_id,
            _place(access),
            now.isoformat(timespec="milliseconds"),
            (now + timedelta(days=days)).isoformat(timespec="milliseconds"),
        )
        value: JsonDict = shared.to_json()
        await self._keep(_LINKS, shared.token, value)
        await self._keep(_links_of(access), thread_id, value)
        return shared

    async def shared(self, access: Access, thread_id: str) -> SharedThread | None:
        """Return the link to a thread of this asker, None where there is none that holds."""
        item = await self._get(_links_of(access), thread_id)
        shared = None if item is None else SharedThread.from_json(item.value)
        return shared if shared is not None and shared.expires > _now() else None

    async def unshare(self, access: Access, thread_id: str) -> None:
        """End the link to a thread of this asker, where there is one."""
        item = await self._get(_links_of(access), thread_id)
        if item is not None:
            await self._delete(_LINKS, item.value["token"])
            await self._delete(_links_of(access), thread_id)

    async def open_shared(
        self, access: Access, bases: Collection[str], token: str
    ) -> tuple[SharedThread, ThreadEntry]:
        """Return what a link leads to, where it is about one of these bases.

        An answer, and a question that leans on one, may tell of documents that it does not quote.
        So a key with a filter sees conversations over the very same part of the documents alone.

        Raises:
            UnknownNameError: If there is no such link, it has ended, or this asker may not use it.
        """
        item = await self._get(_LINKS, token) if _is_key(token) else None
        if item is not None:
            shared = SharedThread.from_json(item.value)
            sees_all_of_it = access.filter is None or access.scope == shared.scope
            thread = await self._get(tuple(shared.place), shared.thread)
            if sees_all_of_it and shared.expires > _now() and thread is not None:
                entry = ThreadEntry.from_json(thread.value)
                if entry.base in bases:
                    return shared, entry
        raise UnknownNameError(
            "link", token, (), listing="ask whoever gave it to you for a new one"
        )

    async def _put(self, access: Access, entry: ThreadEntry) -> None:
        await self._keep(_place(access), entry.id, entry.to_json())

    async def _get(self, place: tuple[str, ...], key: str) -> Item | None:
        with self._told():
            return await self._store.aget(place, key)

    async def _page(self, place: tuple[str, ...], begin: int) -> list[SearchItem]:
        with self._told():
            return await self._store.asearch(place, limit=_PAGE, offset=begin)

    async def _keep(self, place: tuple[str, ...], key: str, value: JsonDict) -> None:
        with self._told():
            await self._store.aput(place, key, value, index=False)

    async def _delete(self, place: tuple[str, ...], key: str) -> None:
        with self._told():
            await self._store.adelete(place, key)


@asynccontextmanager
async def open_threads(settings: Settings, data: Path) -> AsyncIterator[ThreadList]:
    """Yield the list of threads of the database that the settings choose for conversations.

    Args:
        settings: `checkpointer` is the address of a PostgreSQL database, or not set.
        data: Folder of the file that holds them otherwise.

    Raises:
        StoreError: If the database cannot be reached.
    """
    if settings.checkpointer is not None:
        async with open_postgres_store(settings.checkpointer.get_secret_value()) as store:
            yield ThreadList(store, postgres_told)
        return
    from langgraph.store.sqlite.aio import AsyncSqliteStore

    async with AsyncSqliteStore.from_conn_string(str(data / "threads.sqlite")) as sqlite_store:
        await sqlite_store.setup()
        yield ThreadList(sqlite_store)


def _place(access: Access) -> tuple[str, ...]:
    return "threads", _label(access.name), access.scope


def _links_of(access: Access) -> tuple[str, ...]:
    return "links", _label(access.name), access.scope


def _label(name: str) -> str:
    """Return an asker's name as a place in a store is called, where a full stop means a level."""
    if not name.startswith(PERSON):
        return name
    # Longer than any name of a key, so that it is none.
    return f"user-{hashlib.sha256(name.encode()).hexdigest()}"


def _is_key(text: str) -> bool:
    """Return whether something can be kept under a text; PostgreSQL takes no NUL."""
    return text != "" and "\0" not in text


def _shown(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1]}…"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@asynccontextmanager
async def open_postgres_store(address: str) -> AsyncIterator[BaseStore]:
    """Yield the store of a database; its tables are made where they are missing.

    Args:
        address: `postgresql://USER:PASSWORD@HOST/DATABASE`.

    Raises:
        StoreError: If the database cannot be reached.
        MissingExtraError: If the packages for PostgreSQL are not installed.
    """
    require("langgraph.store.postgres", extra="postgres", purpose="this checkpointer")
    from langgraph.store.postgres import PostgresStore
    from langgraph.store.postgres.aio import AsyncPostgresStore

    with setup_lock(address), PostgresStore.from_conn_string(address) as store:
        store.setup()
    pool: PoolConfig = {"min_size": 1, "max_size": _MOST_CONNECTIONS}
    with postgres_told():
        async with AsyncPostgresStore.from_conn_string(address, pool_config=pool) as opened:
            connections: Any = opened.conn
            connections.timeout = _CONNECTION_SECONDS
            yield opened
