"""Hoptrail's command as a process of its own that does not pay for its imports again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from tests import nursery

_STARTING = threading.Lock()


@cache
def _nursery() -> socket.socket:
    """Start the process that commands are forked from; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen(
            [sys.executable, nursery.__file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            # Threads do not outlive a fork, and torch would have started some.
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
    return ours


class Command:
    """A running command, in a session of its own.

    Args:
        arguments: What follows `hoptrail` on the command line.
        stdin: Its input; nothing by default.
        stdout: Where its output goes; nowhere by default.
        stderr: Where its errors go; nowhere by default.
        folder: Its working directory; this process's by default.
        variables: What its environment has beside this process's.
    """

    def __init__(
        self,
        *arguments: str | Path,
        stdin: IO[bytes] | int | None = None,
        stdout: IO[bytes] | int | None = None,
        stderr: IO[bytes] | int | None = None,
        folder: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        request = {
            "arguments": [str(argument) for argument in arguments],
            "environment": {**os.environ, **(variables or {})},
            "folder": str(folder or Path.cwd()),
        }
        report, theirs = socket.socketpair()
        with theirs, open(os.devnull, "r+b") as nothing:
            streams = (nothing if stream is None else stream for stream in (stdin, stdout, stderr))
            descriptors = [one if isinstance(one, int) else one.fileno() for one in streams]
            message = json.dumps(request).encode()
            with _STARTING:
                parent = _nursery()
            socket.send_fds(parent, [message], [*descriptors, theirs.fileno()])
        self._report = report
        self._lines = report.makefile("r")
        self.pid = int(self._lines.readline())
        self.returncode: int | None = None

    def __enter__(self) -> Command:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        self.wait()

    def poll(self) -> int | None:
        """Return the exit code, nothing while it runs."""
        try:
            return self.wait(0)
        except TimeoutError:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code; the negative signal where one ended it.

        Raises:
            TimeoutError: If it has not ended in `timeout` seconds.
        """
        if self.returncode is None:
            self._report.settimeout(timeout)
            try:
                self._report.recv(1, socket.MSG_PEEK)
            except BlockingIOError:
                raise TimeoutError from None
            self._report.settimeout(None)
            self.returncode = int(self._lines.readline())
            self._lines.close()
            self._report.close()
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@dataclass(frozen=True)
class Done:
    """The outcome of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Return the JSON that it printed on one line."""
        assert self.code == 0, self.err
        assert len(self.out.splitlines()) == 1
        value: dict[str, Any] = json.loads(self.out)
        return value

    @property
    def error(self) -> dict[str, str]:
        """Return the error that it printed as JSON."""
        assert self.code == 1
        error: dict[str, str] = json.loads(self.out)["error"]
        return error


def run(
    *arguments: str | Path, stdin: str = "", variables: Mapping[str, str] | None = None
) -> Done:
    """Run a command to its end."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin.encode())
        given.seek(0)
        command = Command(*arguments, stdin=given, stdout=out, stderr=err, variables=variables)
        code = command.wait()
        out.seek(0)
        err.seek(0)
        return Done(code, out.read().decode(), err.read().decode())
