"""Limits of a key: questions a minute, dollars a day."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hoptrail.web.errors import ApiError
from hoptrail.web.job_queue import open_database
from hoptrail.web.keys import Access

_MINUTE = 60.0
_DAYS_KEPT = 400


class RequestRate:
    """Counts the questions of each key over the last minute, in this process."""

    def __init__(self) -> None:
        self._asked: dict[str, deque[float]] = {}

    def take(self, access: Access) -> None:
        """Count a question.

        Raises:
            ApiError: If the key has asked as often as it may.
        """
        if access.requests_per_minute is None:
            return
        now = time.monotonic()
        asked = self._asked.setdefault(access.name, deque())
        while asked and now - asked[0] >= _MINUTE:
            asked.popleft()
        if len(asked) >= access.requests_per_minute:
            wait = math.ceil(_MINUTE - (now - asked[0]))
            raise ApiError(
                429,
                "too_many_requests",
                f"the key {access.name!r} may ask {access.requests_per_minute} times a minute",
                hint=f"wait {wait} seconds",
                headers={"Retry-After": str(wait)},
            )
        asked.append(now)


class Spending:
    """Dollars that each key has spent by day, in a file that outlives the process.

    The answers that are being written when a limit is reached are finished, so that it may be
    passed by their costs.

    Args:
        file: SQLite file; it is made where missing.
    """

    def __init__(self, file: Path) -> None:
        self._file = open_database(file)
        self._lock = threading.Lock()
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS spending (name TEXT, day TEXT, usd REAL NOT NULL,"
            " PRIMARY KEY (name, day))"
        )

    def check(self, access: Access) -> None:
        """Raise ApiError if the key has spent what it may today; blocking."""
        if access.usd_per_day is None:
            return
        with self._lock:
            row = self._file.execute(
                "SELECT usd FROM spending WHERE name = ? AND day = ?", (access.name, _today())
            ).fetchone()
        if row is not None and row[0] >= access.usd_per_day:
            raise ApiError(
                429,
                "spent",
                f"the key {access.name!r} has spent its {access.usd_per_day:g} dollars of today",
                hint="ask again tomorrow (UTC)",
                headers={"Retry-After": str(_seconds_left())},
            )

    def add(self, name: str, usd: float) -> None:
        """Add what an answer has cost; blocking."""
        if not usd:
            return
        oldest = (datetime.now(UTC) - timedelta(days=_DAYS_KEPT)).date().isoformat()
        with self._lock:
            self._file.execute(
                "INSERT INTO spending VALUES (?, ?, ?)"
                " ON CONFLICT (name, day) DO UPDATE SET usd = usd + excluded.usd",
                (name, _today(), usd),
            )
            self._file.execute("DELETE FROM spending WHERE day < ?", (oldest,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _seconds_left() -> int:
    now = datetime.now(UTC)
    tomorrow = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
    return math.ceil((tomorrow - now).total_seconds())
