"""Connections to the SQLite file: a pool for readers, one for the writer, errors translated."""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from traceback import walk_tb

from hoptrail.core.errors import HoptrailError, KnowledgeBaseError, KnowledgeBaseLockedError
from hoptrail.stores.records.damage import unreadable_content
from hoptrail.stores.records.schema import (
    FORMAT_VERSION,
    check_schema,
    create_schema,
    is_blank,
    upgrade_schema,
)

DATABASE_NAME = "hoptrail.sqlite"
NEW_DATABASE = "new-hoptrail.sqlite"
_BUSY_SECONDS = 30.0
_LEAST_FREE = 256  # pages
_SHARE_FREE = 0.2

# They stand in the traceback of whatever fails while they lend a connection.
_LENDERS = frozenset(("_translated", "read", "pinned", "write", "view", "transaction"))


class Database:
    """The SQLite file of one knowledge base, usable from any thread.

    Args:
        folder: The knowledge base's folder.
        writable: Whether `write` may be used; the caller holds the writer's lock.
        create: Whether a missing or blank file is filled with the tables.
    """

    def __init__(self, folder: Path, *, writable: bool, create: bool = False) -> None:
        self._folder = folder
        self._idle: deque[sqlite3.Connection] = deque()
        self._writer: sqlite3.Connection | None = None
        self._write_lock = threading.RLock()
        self._writing_thread: int | None = None
        self._local = threading.local()
        self._after_commit: list[Callable[[], None]] = []
        self._closed = False
        self._sound_state: list[tuple[int, int]] | None = None
        try:
            with self._translated():
                if writable:
                    self._writer = self._connect_writer(create)
            with self.read() as connection:
                version = check_schema(connection, folder)
            if self._writer is not None and version < FORMAT_VERSION:
                with self.write() as connection:
                    upgrade_schema(connection)
                self.compact()
        except HoptrailError:
            self.close()
            raise

    @contextmanager
    def read(
        self, *, newest: bool = False, committed: bool = False
    ) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees one state throughout.

        Inside `write` it is the writer's own, and inside `pinned` that one.

        Args:
            newest: Whether to see the newest state inside `pinned` too.
            committed: Whether to see inside `write` what others see.
        """
        is_writing = self._writing_thread == threading.get_ident()
        if self._writer is not None and is_writing and not committed:
            yield self._writer
            return
        pinned = self._pinned_connection()
        with self._translated():
            if pinned is not None and not newest:
                yield pinned
                return
            connection = self._take()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._give_back(connection)

    @contextmanager
    def pinned(self) -> Iterator[sqlite3.Connection]:
        """Let all that this thread reads within come from one state."""
        outer = self._pinned_connection()
        with self.read() as connection:
            self._local.pinned = connection
            try:
                yield connection
            finally:
                self._local.pinned = outer

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Give the writer's connection in a transaction; calls within it join that transaction."""
        if self._writer is None:
            raise KnowledgeBaseError(
                f"{self._folder} was opened for reading", hint="open it with writable=True"
            )
        with self._write_lock:
            if self._writing_thread is not None:
                yield self._writer
                return
            with self._translated():
                self._writer.execute("BEGIN IMMEDIATE")
                self._writing_thread = threading.get_ident()
                try:
                    yield self._writer
                    self._writer.execute("COMMIT")
                except BaseException:
                    self._after_commit.clear()
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    raise
                finally:
                    self._writing_thread = None
            while self._after_commit:
                self._after_commit.pop(0)()

    def after_commit(self, action: Callable[[], None]) -> None:
        """Do something once the present transaction is committed, never if it is undone."""
        self._after_commit.append(action)

    def compact(self) -> None:
        """Give the room of what was deleted back, where it is a large part of the file.

        Without room for a second file while that is done, the first one stays as it is. Where
        somebody reads, the file shrinks once a later commit finds nobody.
        """
        writer = self._writer
        if writer is None or self._writing_thread is not None:
            return
        with self._write_lock, self._translated():
            (free,) = writer.execute("PRAGMA freelist_count").fetchone()
            (pages,) = writer.execute("PRAGMA page_count").fetchone()
            if free > max(_LEAST_FREE, _SHARE_FREE * pages):
                with suppress(sqlite3.OperationalError):
                    writer.execute("VACUUM")
                    self._empty_log(writer)

    def _empty_log(self, writer: sqlite3.Connection) -> None:
        """Bring the log into the file, unless a reader needs it: for that nobody waits."""
        writer.execute("PRAGMA busy_timeout = 0")
        try:
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            writer.execute(f"PRAGMA busy_timeout = {round(_BUSY_SECONDS * 1000)}")

    def close(self) -> None:
        """Close all connections; the writer leaves nothing in the log, unless somebody reads it."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()
        if self._writer is not None:
            with suppress(sqlite3.Error):  # what is left of it, the next one brings into the file
                self._empty_log(self._writer)
            self._writer.close()
            self._writer = None

    def _pinned_connection(self) -> sqlite3.Connection | None:
        connection: sqlite3.Connection | None = getattr(self._local, "pinned", None)
        return connection

    def _take(self) -> sqlite3.Connection:
        if self._closed:
            raise KnowledgeBaseError(f"{self._folder} is closed", hint="open it again")
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect_reader()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if self._closed:
            connection.close()
        else:
            self._idle.append(connection)

    def _connect_writer(self, create: bool) -> sqlite3.Connection:
        if create and not (self._folder / DATABASE_NAME).exists():
            self._create_file()
        connection = self._connect("rw")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        # What is deleted must not stay readable in free pages of the file.
        connection.execute("PRAGMA secure_delete = ON")
        return connection

    def _create_file(self) -> None:
        """Make the file under another name first: so one that is blank has lost its content."""
        place = self._folder / NEW_DATABASE
        for leftover in self._folder.glob(f"{NEW_DATABASE}*"):
            leftover.unlink()
        with closing(sqlite3.connect(place, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            create_schema(connection, self._folder.resolve().name)
            connection.execute("COMMIT")
        place.replace(self._folder / DATABASE_NAME)

    def _connect_reader(self) -> sqlite3.Connection:
        """Connect for reading, with whatever the folder's rights allow."""
        try:
            connection = self._connect("rw")
        except sqlite3.OperationalError:
            connection = self._connect(self._read_only_mode())
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _read_only_mode(self) -> str:
        log = self._folder / f"{DATABASE_NAME}-wal"
        # Without a log nobody is writing, and SQLite cannot make its own files here.
        return "ro" if log.exists() and log.stat().st_size else "ro&immutable=1"

    def _connect(self, mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{(self._folder / DATABASE_NAME).absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -65536")
            if is_blank(connection):
                raise sqlite3.DatabaseError("it is empty, its content was lost")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            path = self._folder / DATABASE_NAME
            if "locked" in str(error):
                raise KnowledgeBaseLockedError(
                    f"{path}: {error}", hint="another program has the file open; try again"
                ) from error
            if type(error) in (sqlite3.DatabaseError, sqlite3.OperationalError):
                raise KnowledgeBaseError(
                    f"{path} cannot be used: {error}",
                    hint="check disk space and rights; if it is damaged, hoptrail repair KB keeps "
                    "what can be kept; else restore a backup, or index again",
                ) from error
            self._blame_damage(error)
            raise
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:
            if _is_own(error):
                self._blame_damage(error)
            raise

    def _blame_damage(self, error: Exception) -> None:
        """Raise the error of a damaged file if that is what our code stumbled over.

        Looking reads all of it, so a state that was found sound is not looked at again.
        """
        state = self._file_state()
        fault = None if state == self._sound_state else self._fault()
        if fault is None:
            self._sound_state = state
        else:
            raise KnowledgeBaseError(
                f"{self._folder / DATABASE_NAME} is damaged: {fault}",
                hint="hoptrail repair KB keeps what can be kept; else restore a backup, or "
                "index again",
            ) from error

    def _file_state(self) -> list[tuple[int, int]]:
        files = (self._folder / DATABASE_NAME, self._folder / f"{DATABASE_NAME}-wal")
        stats = [file.stat() for file in files if file.exists()]
        return [(one.st_size, one.st_mtime_ns) for one in stats]

    def _fault(self) -> str | None:
        """Return the first thing that is wrong with the file, None where it is sound."""
        try:
            with closing(self._connect_reader()) as connection:
                (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
                if found != "ok":
                    return " ".join(str(found).split())
                return unreadable_content(connection)
        except (sqlite3.Error, ValueError) as error:  # text that is not UTF-8 is a ValueError
            return str(error)


def _is_own(error: Exception) -> bool:
    """Return whether our code failed, and not that of a program that only reads meanwhile."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return any(
        frame.f_globals.get("__name__", "").startswith("hoptrail.")
        and frame.f_code.co_name not in _LENDERS
        for frame in frames
    )
