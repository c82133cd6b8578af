"""The queue of uploads and deletions: a SQLite file that outlives the process."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from hoptrail.core.types import JsonDict, Record

Kind = Literal["upload", "delete"]
State = Literal["queued", "running", "done", "failed"]

_KEPT = 10_000  # finished jobs
_TABLE = """CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, base TEXT NOT NULL,
    owner TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL,
    created TEXT NOT NULL, updated TEXT NOT NULL, progress TEXT, documents TEXT NOT NULL,
    errors TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, notes TEXT NOT NULL DEFAULT '[]')"""
_LATER_COLUMN = "ALTER TABLE jobs ADD COLUMN notes TEXT NOT NULL DEFAULT '[]'"
_LISTS = ("documents", "errors", "notes")
_COLUMNS = f"id, base, owner, kind, name, state, created, updated, progress, {', '.join(_LISTS)}"
_BUSY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Job(Record):
    """One upload or deletion.

    Attributes:
        id: Its id.
        base: Name of the knowledge base.
        owner: Who asked for it.
        kind: What is to be done.
        name: Name of the uploaded file, or id of the document to delete.
        state: How far it is.
        created: When it was put into the queue, ISO 8601.
        updated: When it last changed.
        progress: `stage`, `done` and `total` while it runs.
        documents: Ids of the documents that it made, or deleted.
        errors: `document` and `reason` of what could not be done.
        notes: In a sentence each, what is to be known of what was done.
    """

    id: str
    base: str
    owner: str
    kind: Kind
    name: str
    state: State
    created: str
    updated: str
    progress: JsonDict | None = None
    documents: tuple[str, ...] = ()
    errors: tuple[JsonDict, ...] = field(default_factory=tuple)
    notes: tuple[str, ...] = ()

    def shown(self) -> JsonDict:
        """Return what clients see of it."""
        return {name: value for name, value in self.to_json().items() if name != "owner"}


class JobQueue:
    """Keeps jobs; all methods block for a moment.

    Args:
        file: SQLite file; it is made where missing.
    """

    def __init__(self, file: Path) -> None:
        self._file = open_database(file)
        self._lock = threading.Lock()
        self._file.execute(_TABLE)
        self._add_later_column()

    def _add_later_column(self) -> None:
        """Let a file of an earlier version hold notes too."""
        columns = self._file.execute("PRAGMA table_info(jobs)").fetchall()
        if "notes" in {name for _, name, *_ in columns}:
            return
        with suppress(sqlite3.OperationalError):  # another process was faster
            self._file.execute(_LATER_COLUMN)

    def put(self, base: str, owner: str, kind: Kind, name: str, *, id: str | None = None) -> Job:
        """Add a job at the end."""
        now = _now()
        job = Job(id or uuid4().hex, base, owner, kind, name, "queued", now, now)
        self._change(
            "INSERT INTO jobs (id, base, owner, kind, name, state, created, updated, documents,"
            " errors) VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, '[]', '[]')",
            (job.id, base, owner, kind, name, now, now),
        )
        return job

    def find(self, job_id: str) -> Job | None:
        """Return a job."""
        return next(iter(self._jobs("WHERE id = ?", (job_id,))), None)

    def latest(self, base: str, limit: int) -> list[Job]:
        """Return the jobs of a base, the latest first."""
        return self._jobs("WHERE base = ? ORDER BY number DESC LIMIT ?", (base, limit))

    def waiting(self, bases: Iterable[str], limit: int) -> list[Job]:
        """Return what can be done next in one go: queued jobs of one base and kind, in order.

        A file that is uploaded twice, and what follows it, is left for the next time.
        """
        names = list(bases)
        marks = ",".join("?" * len(names))
        queued = self._jobs(
            f"WHERE state = 'queued' AND base IN ({marks}) ORDER BY number LIMIT ?",
            (*names, limit),
        )
        batch: list[Job] = []
        for job in queued:
            if job.base != queued[0].base:
                continue
            if job.kind != queued[0].kind or job.name in {one.name for one in batch}:
                break
            batch.append(job)
        return batch

    def count(self) -> dict[str, int]:
        """Return the number of jobs by state."""
        with self._lock:
            rows = self._file.execute("SELECT state, count(*) FROM jobs GROUP BY state").fetchall()
        return dict(rows)

    def begin(self, jobs: Iterable[Job]) -> None:
        """Note that jobs run; each counts how often it was begun."""
        for job in jobs:
            self._set(job.id, "state = 'running', attempts = attempts + 1")

    def attempts(self, job: Job) -> int:
        """Return how often a job was begun."""
        with self._lock:
            row = self._file.execute("SELECT attempts FROM jobs WHERE id = ?", (job.id,)).fetchone()
        return int(row[0]) if row else 0

    def tell_progress(self, jobs: Iterable[Job], progress: JsonDict) -> None:
        """Note how far jobs are."""
        for job in jobs:
            self._set(job.id, "progress = ?", json.dumps(progress))

    def requeue(self, jobs: Iterable[Job], *, counts: bool) -> None:
        """Put jobs back to their places; `counts` is whether it was a try."""
        for job in jobs:
            self._set(
                job.id,
                "state = 'queued', progress = NULL, attempts = attempts - ?",
                int(not counts),
            )

    def requeue_running(self) -> None:
        """Put what ran when the process before ended back to its place."""
        self._change(
            "UPDATE jobs SET state = 'queued', progress = NULL WHERE state = 'running'", ()
        )

    def finish(
        self,
        job: Job,
        *,
        documents: Iterable[str] = (),
        errors: Iterable[JsonDict] = (),
        notes: Iterable[str] = (),
    ) -> None:
        """Note what a job came to: it failed where it has errors and no document."""
        made, failed = list(documents), list(errors)
        state = "failed" if failed and not made else "done"
        self._set(
            job.id,
            f"state = '{state}', progress = NULL, documents = ?, errors = ?, notes = ?",
            json.dumps(made),
            json.dumps(failed),
            json.dumps(list(notes)),
        )
        self._change(
            "DELETE FROM jobs WHERE state IN ('done', 'failed') AND number <="
            " (SELECT max(number) FROM jobs) - ?",
            (_KEPT,),
        )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def _set(self, job_id: str, assignment: str, *values: Any) -> None:
        self._change(
            f"UPDATE jobs SET {assignment}, updated = ? WHERE id = ?", (*values, _now(), job_id)
        )

    def _change(self, statement: str, values: tuple[Any, ...]) -> None:
        with self._lock:
            self._file.execute(statement, values)

    def _jobs(self, condition: str, values: tuple[Any, ...]) -> list[Job]:
        with self._lock:
            rows = self._file.execute(f"SELECT {_COLUMNS} FROM jobs {condition}", values).fetchall()
        return [_job(row) for row in rows]


def _job(row: tuple[Any, ...]) -> Job:
    names = [name.strip() for name in _COLUMNS.split(",")]
    values = dict(zip(names, row, strict=True))
    told = values["progress"]
    values["progress"] = None if told is None else json.loads(told)
    return Job.from_json({**values, **{name: json.loads(values[name]) for name in _LISTS}})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def open_database(file: Path) -> sqlite3.Connection:
    """Open a file, which is made where missing; its caller lets one thread at a time use it.

    What is committed is on the disk: neither a job nor a dollar is lost with the machine.
    """
    connection = sqlite3.connect(
        file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection
