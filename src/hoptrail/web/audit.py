"""The audit log: a line of JSON for each request, without any text of it."""

from __future__ import annotations

import json
import logging
import queue
from datetime import UTC, datetime
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

from hoptrail.core.types import JsonDict

_FILE_BYTES = 20 * 1024 * 1024
_FILES = 5


class AuditLog:
    """Writes who asked for what, when, and what came of it.

    A line holds `time, key, method, route, status, seconds` and, of a question, `base, preset, run,
    outcome, usd`. Routes are patterns: neither ids nor questions stand in them.

    Used in `with`. The file is made with its first line; lines from before wait.

    Args:
        file: Lines are added to it; it is turned over at 20 MiB, and four older ones are kept.
    """

    def __init__(self, file: Path) -> None:
        # Written by a thread of its own: no request waits for the disk.
        self._lines: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
        handler = RotatingFileHandler(
            file, maxBytes=_FILE_BYTES, backupCount=_FILES - 1, encoding="utf-8", delay=True
        )
        self._listener = QueueListener(self._lines, handler)
        self._handler = QueueHandler(self._lines)

    def __enter__(self) -> AuditLog:
        self._listener.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Write what is left."""
        self._listener.stop()
        for handler in self._listener.handlers:
            handler.close()

    def note(
        self, key: str, method: str, route: str, status: int, seconds: float, details: JsonDict
    ) -> None:
        """Add a line."""
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "key": key,
            "method": method,
            "route": route,
            "status": status,
            "seconds": round(seconds, 4),
            **details,
        }
        text = json.dumps(line, ensure_ascii=False)
        self._handler.emit(logging.LogRecord("audit", logging.INFO, "", 0, text, None, None))
