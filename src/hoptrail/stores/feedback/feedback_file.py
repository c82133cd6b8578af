"""The SQLite file of feedback and saved answers: its tables, and how it is opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hoptrail.core.errors import KnowledgeBaseError

FEEDBACK_NAME = "feedback.sqlite"

LONGEST_ANSWER_BYTES = 1_000_000
"""Bytes of JSON of one answer that can be kept."""
MOST_OF_READER = 20_000
"""Entries, and saved answers, that one reader may have."""

_BUSY_SECONDS = 30.0
_TABLES = """
CREATE TABLE IF NOT EXISTS feedback (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, place TEXT UNIQUE NOT NULL,
    created TEXT NOT NULL, updated TEXT NOT NULL, reader TEXT NOT NULL, thread TEXT, verdict TEXT,
    correction TEXT NOT NULL, comment TEXT NOT NULL, answer TEXT NOT NULL, documents TEXT NOT NULL,
    versions TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS feedback_of_thread ON feedback (thread);
CREATE INDEX IF NOT EXISTS feedback_of_reader ON feedback (reader);
CREATE TABLE IF NOT EXISTS saved_answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, question_key TEXT NOT NULL,
    question TEXT NOT NULL, text TEXT NOT NULL, reader TEXT NOT NULL, created TEXT NOT NULL,
    shared INTEGER NOT NULL, corrected INTEGER NOT NULL, documents TEXT NOT NULL,
    evidence TEXT NOT NULL, UNIQUE (question_key, reader));
CREATE INDEX IF NOT EXISTS saved_answers_of_reader ON saved_answers (reader);
"""
_LAST_MADE = "saved_answers_of_reader"


class FeedbackFile:
    """The file of one knowledge base; the first word of a reader makes it.

    Each use opens it anew: programs that use it at once, and one that only reads a base that
    nobody may write to, need nothing else.

    Args:
        folder: The knowledge base's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FEEDBACK_NAME

    @property
    def exists(self) -> bool:
        """Whether anything was ever kept."""
        return self._path.is_file()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """Yield a connection that only reads; None where nothing was ever kept.

        Raises:
            KnowledgeBaseError: If the file cannot be read.
        """
        if not self.exists:
            yield None
            return
        address = f"{self._path.absolute().as_uri()}?mode=ro"
        with (
            self._told("read"),
            closing(sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS)) as connection,
        ):
            yield connection if _has_tables(connection) else None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection within one transaction; other writers wait.

        Raises:
            KnowledgeBaseError: If the file cannot be written.
        """
        with (
            self._told("written"),
            closing(sqlite3.connect(self._path, timeout=_BUSY_SECONDS)) as connection,
        ):
            connection.isolation_level = None
            connection.execute("PRAGMA secure_delete = ON")
            if not _has_tables(connection):
                connection.executescript(_TABLES)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _told(self, done: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise KnowledgeBaseError(
                f"{self._path.parent.name}/{FEEDBACK_NAME} cannot be {done}: {error}",
                hint="check your rights and the free space; a damaged file can be put away, "
                "and feedback begins anew",
            ) from error


def _has_tables(connection: sqlite3.Connection) -> bool:
    """Return whether all tables are there: another program may be making them."""
    query = "SELECT 1 FROM sqlite_master WHERE name = ?"
    return connection.execute(query, (_LAST_MADE,)).fetchone() is not None
