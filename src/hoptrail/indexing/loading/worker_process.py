"""Processes of their own for files that may do harm: a line of JSON in, a line of JSON out.

Files come from anywhere, and a few kilobytes of one may unpack to gigabytes. The process that asks
ends the other one where a file takes too long, and outlives it where one takes too much.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from threading import Lock, Timer
from typing import Any


class WorkerProcess:
    """One process for many requests, as its start takes as long as many of them.

    It is started when it is first asked, and anew after it was ended.

    Args:
        module: What it runs.
        environment: Variables that it has beside those of this process.
    """

    def __init__(self, module: str, **environment: str) -> None:
        self._module = module
        self._environment = environment
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0

    def answer(self, request: Any, seconds: float) -> dict[str, Any]:
        """Return the answer to a request.

        Raises:
            TimeoutError: If it takes longer than that.
            EOFError: If the process did not survive it.
        """
        with self._lock:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None
            timer = Timer(seconds, process.kill)
            timer.start()
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = ""
            except BaseException:
                self.end()  # or else its answer would be taken for the next request's
                raise
            finally:
                was_in_time = timer.is_alive()
                timer.cancel()
            if line.endswith("\n"):
                return dict(json.loads(line))
            self.end()
        raise EOFError if was_in_time else TimeoutError

    def end(self) -> None:
        """End the process, unless it serves the one that this was forked from."""
        process = self._process
        if process is None or self._owner != os.getpid():
            return
        self._process = None
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what could not be sent to it any more
                    pipe.close()

    def _running(self) -> subprocess.Popen[str]:
        """Return the process, started anew in a process that was forked from the one it serves."""
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._owner = os.getpid()
            path = os.pathsep.join(filter(None, sys.path))
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env={**os.environ, "PYTHONPATH": path, **self._environment},
            )
        return self._process


def bound_memory(most: int) -> None:
    """Let the system refuse this process more memory than `most` bytes, where it can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    try:
        _, limit = resource.getrlimit(resource.RLIMIT_AS)
        own = most if limit == resource.RLIM_INFINITY else min(most, limit)
        resource.setrlimit(resource.RLIMIT_AS, (own, limit))
    except (ValueError, OSError):  # macOS has no such limit
        return
