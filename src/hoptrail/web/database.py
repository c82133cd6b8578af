"""SQLite files of the application, which several processes may share."""

from __future__ import annotations

import sqlite3
from pathlib import Path

_BUSY_SECONDS = 30.0


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
