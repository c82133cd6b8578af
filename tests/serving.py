"""`hoptrail serve` as a process of its own, started in a folder and stopped at the end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_COMMAND = (sys.executable, "-c", "from hoptrail.cli import main; main()", "serve")


@dataclass(frozen=True)
class ServerProcess:
    """A running server. `temporary` is where it makes its own folder."""

    process: subprocess.Popen[bytes]
    port: int
    temporary: Path
    _log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def own_folders(self) -> list[Path]:
        return list(self.temporary.glob("hoptrail-serve-*"))

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self, seconds: float = 60) -> int:
        return self.process.wait(timeout=seconds)


@contextmanager
def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[ServerProcess]:
    """Run a server in a working directory."""
    temporary = folder / "temporary"
    temporary.mkdir()
    log = folder / "server.log"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*_COMMAND, "--port", str(port), *arguments],
            stdout=output,
            stderr=output,
            env={**os.environ, **dict.fromkeys(("TMPDIR", "TEMP"), str(temporary)), **environment},
            cwd=folder,
            start_new_session=True,  # Ctrl-C at the tests is not meant for it
        )
    server = ServerProcess(process, port, temporary, log)
    try:
        _wait_until_ready(server)
        yield server
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(timeout=30)


def _wait_until_ready(server: ServerProcess) -> None:
    for _ in range(240):
        if server.process.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"{server.url}/ok", timeout=2).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise RuntimeError(f"the server did not start:\n{server.log}")
