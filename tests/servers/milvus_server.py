"""A Milvus server from the wheel `milvus`, as a process of its own on this machine.

The wheel carries the standalone server of 2.3, and lies in an environment of its own. Its gRPC port
listens on all addresses, which 2.3 cannot help; so it asks for a password.

`python tests/servers/milvus_server.py start` and `stop` are behind `make servers`; tests get theirs
from the fixture `milvus_server`.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from pathlib import Path

from filelock import FileLock

if __name__ == "__main__":  # run by its path, so that the packages of tests are not found
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.servers.processes import (
    KEPT,
    ROOT,
    ServerUnavailableError,
    end,
    free_port,
    python_of,
    serve,
    start_kept,
    stop_kept,
)

VERSION = "2.3.5"
USER, PASSWORD = "root", "Milvus"  # of every new server
KEPT_PORT = 19530
_PROGRAM = Path(__file__).with_name("milvus") / "run_server.py"
_START_SECONDS = 180.0
_DOWNLOAD_SECONDS = 600.0


class MilvusServer:
    """One server with its data in a folder.

    Args:
        folder: Where its files go; an earlier server's data are kept.
        port: Of gRPC; a free one by default.
    """

    def __init__(self, folder: Path, *, port: int | None = None) -> None:
        self.port = port or free_port()
        self.uri = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._python = python_with_wheel()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process's id."""
        if self._process is None:
            raise ServerUnavailableError("the server was not started")
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            ServerUnavailableError: If it does not come up.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with _one_at_a_time():
            self._start()

    def _start(self) -> None:
        metrics_port = free_port()
        ports = [str(self.port), str(metrics_port)]
        command = [str(self._python), str(_PROGRAM), str(self._folder), *ports]
        with (self._folder / "output.log").open("ab") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if _is_healthy(metrics_port):
                return
            time.sleep(0.2)
        self.kill()
        log = (self._folder / "output.log").read_text(errors="replace").strip().splitlines()
        raise ServerUnavailableError(f"Milvus did not start: {' '.join(log[-1:])[:200]}")

    def stop(self) -> None:
        """Ask it to end and wait until it has."""
        end(self._process, signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        end(self._process, signal.SIGKILL)


def python_with_wheel() -> Path:
    """Return the Python of the environment that has the wheel; made on first need.

    Raises:
        ServerUnavailableError: If there is no such wheel for this machine.
    """
    with _one_at_a_time():
        return _installed(ROOT / "build/servers" / f"milvus-{VERSION}")


def _one_at_a_time() -> FileLock:
    """Return the lock of those who install or start: a server looks for free ports, then binds."""
    return FileLock(Path(tempfile.gettempdir()) / "hoptrail-milvus-start.lock")


def _installed(folder: Path) -> Path:
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        wanted = [f"milvus=={VERSION}", "setuptools<81"]
        try:
            done = subprocess.run(
                [python_of(folder), "-m", "pip", "install", "--quiet", *wanted],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_DOWNLOAD_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise ServerUnavailableError("PyPI does not answer in time") from None
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            raise ServerUnavailableError(f"the wheel milvus cannot be installed: {last}"[:200])
        (folder / "complete").touch()
    return python_of(folder)


def _is_healthy(metrics_port: int) -> bool:
    try:
        address = f"http://127.0.0.1:{metrics_port}/healthz"
        with urllib.request.urlopen(address, timeout=2) as answer:
            return bool(b"OK" in answer.read())
    except OSError:
        return False


def _start() -> None:
    server = start_kept("milvus", lambda: MilvusServer(KEPT / "milvus", port=KEPT_PORT))
    print(f"export MILVUS_USER={USER} MILVUS_PASSWORD={PASSWORD}  # {server.uri}")


def main() -> None:
    """Start or stop a server that outlives this process, or serve until another has ended."""
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("start")
    commands.add_parser("stop")
    served = commands.add_parser("serve")
    served.add_argument("folder", type=Path)
    served.add_argument("owner", type=int)
    given = parser.parse_args()
    try:
        if given.command == "serve":
            serve(lambda: MilvusServer(given.folder), given.folder, given.owner)
        elif given.command == "start":
            _start()
        else:
            stop_kept("milvus")
    except ServerUnavailableError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
