"""`hoptrail serve` and `hoptrail web` as processes of their own, stopped at the end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.commands import Command
from tests.servers.processes import free_port
from tests.waiting import wait_until_ready


@dataclass(frozen=True)
class ServerProcess:
    """A running server. `temporary` is where it makes its own folder."""

    process: Command
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
        return self.process.wait(seconds)


@contextmanager
def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[ServerProcess]:
    """Run `hoptrail serve` in a working directory."""
    with _running("serve", "/ok", folder, arguments, environment) as server:
        yield server


@contextmanager
def serving_web(folder: Path, *arguments: str, **environment: str) -> Iterator[ServerProcess]:
    """Run `hoptrail web` in a working directory."""
    with _running("web", "/ready", folder, arguments, environment) as server:
        yield server


@contextmanager
def _running(
    command: str,
    ready: str,
    folder: Path,
    arguments: tuple[str, ...],
    environment: dict[str, str],
) -> Iterator[ServerProcess]:
    temporary = folder / "temporary"
    temporary.mkdir()
    log = folder / "server.log"
    port = free_port()
    with log.open("wb") as output:
        process = Command(
            *(command, "--port", str(port)),
            *arguments,
            stdout=output,
            stderr=output,
            folder=folder,
            variables={**dict.fromkeys(("TMPDIR", "TEMP"), str(temporary)), **environment},
        )
    server = ServerProcess(process, port, temporary, log)
    with process:
        wait_until_ready(f"{server.url}{ready}", process, log)
        yield server
