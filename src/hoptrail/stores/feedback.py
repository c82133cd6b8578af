"""Words of readers on answers, one entry for each reader and answer, and the file of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError, KnowledgeBaseError
from hoptrail.core.types import Answer, Feedback, Verdict

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
_COLUMNS = (
    "id, created, updated, reader, thread, verdict, correction, comment, answer, documents,"
    " versions"
)


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


class FeedbackEntries:
    """The entries of one knowledge base.

    Args:
        file: Holds them.
    """

    def __init__(self, file: FeedbackFile) -> None:
        self._file = file

    def put(self, entry: Feedback) -> Feedback:
        """Store an entry; it takes the place of what its reader said of the same answer before.

        Returns:
            The entry as it is stored, with the id and time of the first one.

        Raises:
            InputError: If the answer is too long, or the reader has too many entries.
        """
        answer = json.dumps(entry.answer.to_contract(), ensure_ascii=False)
        check_size(answer)
        place = _place(entry)
        with self._file.writing() as connection:
            row = connection.execute(
                "SELECT id, created FROM feedback WHERE place = ?", (place,)
            ).fetchone()
            if row is not None:
                entry = replace(entry, id=row[0], created=row[1])
            else:
                check_room(connection, "feedback", entry.reader)
            connection.execute(
                f"""INSERT INTO feedback (place, {_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)
                ON CONFLICT (place) DO UPDATE SET updated = excluded.updated,
                verdict = excluded.verdict, correction = excluded.correction,
                comment = excluded.comment, answer = excluded.answer,
                documents = excluded.documents, versions = excluded.versions""",
                (
                    place,
                    entry.id,
                    entry.created,
                    entry.updated,
                    entry.reader,
                    entry.thread,
                    entry.verdict,
                    entry.correction,
                    entry.comment,
                    answer,
                    json.dumps(dict(entry.documents), ensure_ascii=False),
                    json.dumps(dict(entry.versions), ensure_ascii=False),
                ),
            )
        return entry

    def find(self, entry_id: str) -> Feedback | None:
        """Return an entry by its id."""
        return next(iter(self._rows("WHERE id = ?", (entry_id,))), None)

    def of_thread(self, thread: str, reader: str) -> list[Feedback]:
        """Return what a reader said of the answers of a conversation."""
        return self._rows("WHERE thread = ? AND reader = ?", (thread, reader))

    def latest(
        self, *, verdict: Verdict | None = None, limit: int | None = None, offset: int = 0
    ) -> list[Feedback]:
        """Return entries, the latest first.

        Args:
            verdict: Only those with this one.
            limit: How many at most, None for all.
            offset: How many to pass over.
        """
        where = "" if verdict is None else "WHERE verdict = ?"
        values: tuple[Any, ...] = () if verdict is None else (verdict,)
        bounds = (-1 if limit is None else limit, offset)
        order = "ORDER BY updated DESC, number DESC LIMIT ? OFFSET ?"
        return self._rows(f"{where} {order}", (*values, *bounds))

    def counts(self) -> dict[str, int]:
        """Return how many entries there are by verdict, "none" for those without one."""
        none_yet = {"good": 0, "bad": 0, "none": 0}
        with self._file.reading() as connection:
            if connection is None:
                return none_yet
            query = "SELECT coalesce(verdict, 'none'), count(*) FROM feedback GROUP BY 1"
            return none_yet | dict(connection.execute(query).fetchall())

    def remove(self, entry_id: str) -> bool:
        """Delete an entry; return whether there was one."""
        if not self._file.exists:
            return False
        with self._file.writing() as connection:
            done = connection.execute("DELETE FROM feedback WHERE id = ?", (entry_id,))
            return done.rowcount > 0

    def rewrite_answers(self, doc_ids: Iterable[str], clean: Callable[[Answer], Answer]) -> None:
        """Put what `clean` makes of them in place of the answers that rest on these documents."""
        if not self._file.exists:
            return
        with self._file.writing() as connection:
            rows = connection.execute("SELECT id, answer FROM feedback").fetchall()
            for entry_id, text in naming(rows, doc_ids):
                answer = clean(Answer.from_contract(json.loads(text)))
                told = json.dumps(answer.to_contract(), ensure_ascii=False)
                connection.execute("UPDATE feedback SET answer = ? WHERE id = ?", (told, entry_id))

    def _rows(self, rest: str, values: Sequence[Any]) -> list[Feedback]:
        with self._file.reading() as connection:
            if connection is None:
                return []
            with closing(
                connection.execute(f"SELECT {_COLUMNS} FROM feedback {rest}", values)
            ) as found:
                return [_entry(row) for row in found]


def check_size(text: str) -> None:
    """Raise InputError where the JSON of an answer is too long to be kept."""
    size = len(text.encode())
    if size > LONGEST_ANSWER_BYTES:
        raise InputError(
            f"the answer has {size:,} bytes, at most {LONGEST_ANSWER_BYTES:,} can be kept",
            hint="leave out what is not its trail",
        )


def check_room(connection: Any, table: str, reader: str) -> None:
    """Raise InputError where a reader has as many rows of a table as one may have."""
    query = f"SELECT count(*) FROM {table} WHERE reader = ?"
    if connection.execute(query, (reader,)).fetchone()[0] >= MOST_OF_READER:
        raise InputError(
            f"{reader} has {MOST_OF_READER:,} entries, which is as many as one reader may have",
            hint="delete some",
        )


def naming(rows: Iterable[tuple[str, str]], doc_ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the rows whose JSON may name one of these documents: most need not be parsed."""
    names = [json.dumps(doc_id, ensure_ascii=False) for doc_id in doc_ids]
    for key, text in rows:
        if any(name in text for name in names):
            yield key, text


def _place(entry: Feedback) -> str:
    """Return what is one and the same for all that a reader says of one answer."""
    told = (entry.reader, entry.thread or "", entry.answer.question, entry.answer.text)
    return sha256(json.dumps(told).encode()).hexdigest()


def _entry(row: Sequence[Any]) -> Feedback:
    (id_, created, updated, reader, thread, verdict, correction, comment, answer, docs, made) = row
    return Feedback(
        id_,
        created,
        updated,
        reader,
        Answer.from_contract(json.loads(answer)),
        thread,
        verdict,
        correction,
        comment,
        json.loads(docs),
        json.loads(made),
    )
