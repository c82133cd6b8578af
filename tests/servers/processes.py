"""Processes, ports and files that the servers of tests have in common."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).parents[2]
KEPT = Path(tempfile.gettempdir()) / "hoptrail-servers"  # of `make servers`
_END_SECONDS = 60.0


class ServerUnavailableError(Exception):
    """This machine cannot run the server; the message is one line."""


class Server(Protocol):
    """A server as a process of its own."""

    uri: str

    @property
    def pid(self) -> int:
        """The process's id."""
        ...

    def start(self) -> None:
        """Start it and wait until it answers."""
        ...

    def stop(self) -> None:
        """Ask it to end and wait until it has."""
        ...


def serve(make: Callable[[], Server], folder: Path, owner: int) -> None:
    """Run a server until a process has ended, then remove its folder; its port is in `uri`."""
    try:
        server = make()
        server.start()
    except ServerUnavailableError as error:
        write(folder / "unavailable", str(error))
        return
    write(folder / "uri", server.uri)
    while lives(owner):
        time.sleep(1)
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_suffix(".lock").unlink(missing_ok=True)


def start_kept(name: str, make: Callable[[], Server]) -> Server:
    """Start a server that outlives this process."""
    server = make()
    server.start()
    (KEPT / f"{name}.pid").write_text(str(server.pid))
    return server


def stop_kept(name: str) -> None:
    """Stop the server that `start_kept` started; its data are kept.

    One that has not ended after a minute is killed: the next start reads what it had logged.
    """
    noted = KEPT / f"{name}.pid"
    if noted.is_file():
        pid = int(noted.read_text())
        for how in (signal.SIGTERM, signal.SIGKILL):
            deadline = time.monotonic() + _END_SECONDS
            if lives(pid):
                os.kill(pid, how)
            while lives(pid) and time.monotonic() < deadline:
                time.sleep(0.2)
        if lives(pid):
            raise ServerUnavailableError(f"the server {name}, process {pid}, does not end")
        noted.unlink()


def end(process: subprocess.Popen[bytes] | None, how: signal.Signals) -> None:
    """End a process and wait until it has; one that does not in a minute is killed."""
    if process is not None and process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(_END_SECONDS)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def lives(pid: int) -> bool:
    """Return whether there is a process of this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def write(path: Path, text: str) -> None:
    """Write a file that is seen complete or not at all."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.replace(path)


def python_of(environment: Path) -> Path:
    """Return the Python of a virtual environment."""
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
