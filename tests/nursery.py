"""The program that commands of tests are forked from: it loads what is heavy once, then waits.

It runs as `python nursery.py DESCRIPTOR`, where a Unix socket brings the requests: a command as
JSON, with the descriptors of its three streams and of a socket to report on. It has one thread, so
that a fork of it is whole. `tests.commands` is its other end.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

HEAVY = (
    "hoptrail.api.asking",
    "hoptrail.cli.app",
    "hoptrail.eval.runs.runner",
    "hoptrail.graphs.qa",
    "hoptrail.indexing.pipeline",
    "hoptrail.models.embedder",
    "hoptrail.services",
    "hoptrail.web.application",
    "langchain_openai",
    "langgraph.checkpoint.sqlite.aio",
    "prompt_toolkit",
    "rich.console",
)
LARGEST_REQUEST = 1 << 20


def serve(requests: socket.socket) -> dict[str, Any] | None:
    """Fork for each request; return its command in the fork, nothing at the end of requests."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a keeper's end interests nobody
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, LARGEST_REQUEST, 4)
        if not message:
            return None
        if os.fork() == 0:
            requests.close()
            keep(descriptors)
            command: dict[str, Any] = json.loads(message)
            return command
        for descriptor in descriptors:
            os.close(descriptor)


def keep(descriptors: list[int]) -> None:
    """Fork once more: this process reports how the other one ends, and only that one returns."""
    *streams, report = descriptors
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        os.close(report)
        for standard, stream in enumerate(streams):
            os.dup2(stream, standard)
            os.close(stream)
        return
    for stream in streams:
        os.close(stream)
    os.write(report, f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.write(report, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def become(command: dict[str, Any]) -> None:
    """Turn this process into that of the command."""
    os.setsid()
    if os.isatty(0):
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.environ.clear()
    os.environ.update(command["environment"])
    os.chdir(command["folder"])
    tempfile.tempdir = None
    sys.argv = ["hoptrail", *command["arguments"]]
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", closefd=False)


def run(main: Callable[[], None]) -> None:
    """Run a command to its exit code, and end as Python does but for one thing.

    The modules are not taken apart: that costs more than most commands do, for each of their pages
    is copied. An error that nobody has caught ends in the usual way.
    """
    status = 0
    try:
        main()
    except SystemExit as ended:
        if ended.code is not None and not isinstance(ended.code, int):
            raise
        status = ended.code or 0
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status & 0xFF)


if __name__ == "__main__":
    for name in HEAVY:
        import_module(name)
    import_module("hoptrail.models.embedder").load_embedder("all-MiniLM-L6-v2")
    os.fsync = lambda fd: None  # as in the tests' own process: no test cuts power
    gc.freeze()  # a collection would write to every page that the forks share
    atexit.register(gc.unfreeze)
    asked = serve(socket.socket(fileno=int(sys.argv[1])))
    if asked is not None:
        become(asked)
        run(import_module("hoptrail.cli").main)
