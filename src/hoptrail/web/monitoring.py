"""Requests as operators see them: the audit log, and figures for Prometheus."""

from __future__ import annotations

import json
import logging
import os
import queue
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

from filelock import FileLock
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from hoptrail.core.types import JsonDict
from hoptrail.web.runs import Runs

_FILE_BYTES = 20 * 1024 * 1024
_FILES = 5
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180)
_PREFIX = "hoptrail_web_"


class AuditLog:
    """Writes who asked for what, when, and what came of it.

    A line holds `time, key, method, route, status, seconds` and, of a question, `base, preset, run,
    outcome, usd`. Routes are patterns: neither ids nor questions stand in them.

    Used in `with`. The file is made with its first line; lines from before wait.

    Args:
        file: Lines are added to it, by other processes as well; when it is full it is turned over,
            and four older ones are kept.
        most_bytes: When it is full.
    """

    def __init__(self, file: Path, most_bytes: int = _FILE_BYTES) -> None:
        # Written by a thread of its own: no request waits for the disk.
        self._lines: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
        handler = _SharedFile(
            file, maxBytes=most_bytes, backupCount=_FILES - 1, encoding="utf-8", delay=True
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


class _SharedFile(RotatingFileHandler):
    """A file of lines that several processes add to, which one of them turns over when it is full.

    Each by itself would turn it over anew, and write on into the old one until then.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Add a line to the file that has the name now."""
        self._leave_old_file()
        super().emit(record)

    def doRollover(self) -> None:  # noqa: N802 - the name is logging's
        """Turn the file over, unless another process just has."""
        with FileLock(f"{self.baseFilename}.lock"):
            self._leave_old_file()
            if self.stream is not None:
                super().doRollover()

    def _leave_old_file(self) -> None:
        """Close a file that has lost the name; the next line opens the one that has it."""
        if self.stream is None:
            return
        try:
            named = os.stat(self.baseFilename)
            is_current = os.path.samestat(named, os.fstat(self.stream.fileno()))
        except FileNotFoundError:
            is_current = False
        if not is_current:
            self.stream.close()
            self.stream = None


class Metrics:
    """The counters of one application, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            f"{_PREFIX}requests",
            "Requests by route and status.",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            f"{_PREFIX}request_seconds",
            "Time to the end of the response.",
            ["route"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._answers = Counter(
            f"{_PREFIX}answers",
            "Questions by base, preset and outcome: answered, abstained, failed, stopped.",
            ["base", "preset", "outcome"],
            registry=self._registry,
        )
        self._usd = Counter(
            f"{_PREFIX}usd", "Dollars spent on answers.", ["base"], registry=self._registry
        )

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; `route` is a pattern."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count_answer(self, base: str, preset: str, outcome: str, usd: float) -> None:
        """Count a question and what it cost."""
        self._answers.labels(base, preset, outcome).inc()
        if usd:
            self._usd.labels(base).inc(usd)

    def watch(self, runs: Runs, jobs: Callable[[], dict[str, int]]) -> None:
        """Report questions and jobs as they are when they are asked for."""
        self._registry.register(_Present(runs, jobs))

    def text(self) -> bytes:
        """Return all figures in the Prometheus text form; blocking."""
        return generate_latest(self._registry)


class _Present(Collector):
    """Figures that are read when they are asked for."""

    def __init__(self, runs: Runs, jobs: Callable[[], dict[str, int]]) -> None:
        self._runs = runs
        self._jobs = jobs

    def collect(self) -> Iterator[Metric]:
        """Yield the present figures."""
        answering = self._runs.answering
        yield GaugeMetricFamily(f"{_PREFIX}answering", "Questions being answered.", answering)
        waiting = self._runs.unfinished - answering
        yield GaugeMetricFamily(f"{_PREFIX}waiting", "Questions that wait.", max(waiting, 0))
        jobs = GaugeMetricFamily(f"{_PREFIX}jobs", "Jobs by state.", labels=["state"])
        for state, number in self._jobs().items():
            jobs.add_metric([state], number)
        yield jobs
