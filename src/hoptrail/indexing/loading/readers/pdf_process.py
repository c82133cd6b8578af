"""Asks a process of its own for the lines of PDF files, and ends it where a file does harm."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Timer
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.pdf_lines import Line
from hoptrail.indexing.loading.readers.pdf_worker import MAX_MEMORY

MAX_SECONDS = 120.0
_WORKER = "hoptrail.indexing.loading.readers.pdf_worker"


@dataclass(frozen=True, slots=True)
class PdfText:
    """The lines of each page of a file, and its title and date as its metadata tell them.

    `unread` tells for each page why its lines are not what it shows, empty where they are.
    """

    pages: tuple[tuple[Line, ...], ...]
    title: str
    created: str
    unread: tuple[str, ...]


def pdf_text(path: Path) -> PdfText:
    """Return the lines of a PDF file.

    Raises:
        InputError: If it is damaged, locked or too long, or takes more than `MAX_SECONDS` or
            `MAX_MEMORY` to read.
    """
    told = _PROCESS.answer(os.path.abspath(path))
    if "reason" in told:
        raise InputError(told["reason"])
    pages = tuple(tuple(Line(*line) for line in page) for page in told["pages"])
    return PdfText(pages, told["title"], told["created"], tuple(told["unread"]))


class _PdfProcess:
    """One process for all files that this one reads, as its start takes as long as many files."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0

    def answer(self, path: str) -> dict[str, Any]:
        with self._lock:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None
            timer = Timer(MAX_SECONDS, process.kill)
            timer.start()
            try:
                process.stdin.write(json.dumps(path) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = ""
            except BaseException:
                self.end()  # or else its answer would be taken for the next file's
                raise
            finally:
                was_in_time = timer.is_alive()
                timer.cancel()
            if line.endswith("\n"):
                return dict(json.loads(line))
            self.end()
        if was_in_time:
            return {"reason": f"damaged, or takes more than {MAX_MEMORY >> 30} GiB of memory"}
        return {"reason": f"takes more than {MAX_SECONDS:.0f} seconds to read"}

    def _running(self) -> subprocess.Popen[str]:
        """Return the process, started anew in a process that was forked from the one it serves."""
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                [sys.executable, "-m", _WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        return self._process

    def end(self) -> None:
        """End the process, unless it serves the one that this was forked from."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.communicate()
            self._process = None


_PROCESS = _PdfProcess()
atexit.register(_PROCESS.end)
