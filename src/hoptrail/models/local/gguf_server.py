"""The server of a GGUF file, llama.cpp's on loopback: one for all that need it, until they go.

Whoever needs the file finds its server running, or starts it as a process:

    python -m hoptrail.models.local.gguf_server FILE STATE

writes where it listens to STATE once the model is loaded. Each user holds a connection to a second
port; the system closes it when the user ends, however that happens.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from hoptrail.core.errors import ModelUnavailableError, SettingsError
from hoptrail.core.whole_file import write_whole
from hoptrail.models.local.model_files import read_gguf_header

_LOADING_SECONDS = 600.0
_POLL_SECONDS = 0.1
_GIGABYTE = 1e9

CONTEXT = 8_192
"""Tokens of prompt and reply that a model is given room for."""
HANDSHAKE_SECONDS = 5.0
"""Longest wait for the key of a new user, and for its answer."""
_FIRST_USER_SECONDS = 30.0
_IDLE_SECONDS = 2.0
_CANNOT_LOAD = 3
_BATCH = 256  # tokens


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model listens by OpenAI's protocol, and the key that it asks for."""

    base_url: str
    key: str


@dataclass(frozen=True, slots=True)
class _Attachment:
    """A server that this process uses; it runs for as long as somebody's `held` is open."""

    endpoint: Endpoint
    held: socket.socket

    @property
    def is_open(self) -> bool:
        """Whether the server still runs: it never sends anything more over this connection."""
        readable, _, _ = select.select([self.held], [], [], 0)
        return not readable


_attached: dict[Path, _Attachment] = {}
_attaching = threading.Lock()


def attach(file: str | Path) -> Endpoint:
    """Return where the model of a file listens; started first where it does not run, which blocks.

    It runs until the last process that asked for it has ended.

    Raises:
        SettingsError: If there is no such model file, or what runs it is not installed.
        ModelUnavailableError: If the model cannot be loaded.
    """
    path = Path(file).expanduser().resolve()
    with _attaching:
        known = _attached.get(path)
        if known is None or not known.is_open:
            if known is not None:
                known.held.close()
            check_model_file(path)
            _attached[path] = known = _attach(path)
        return known.endpoint


def check_model_file(path: Path) -> None:
    """Make sure that a model file can be run here, as far as that can be told at once.

    Raises:
        SettingsError: If it cannot; says what to do.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise SettingsError(
            f"nothing is installed that runs {path.name}", hint="pip install 'hoptrail[local]'"
        )
    size, memory = read_gguf_header(path).size, _memory()
    if memory is not None and size > memory:
        raise SettingsError(
            f"{path.name} needs more than {size / _GIGABYTE:.1f} GB of memory, and this machine "
            f"has {memory / _GIGABYTE:.1f} GB",
            hint="take a smaller model, or one with fewer bits a weight",
        )


def _memory() -> int | None:
    """Return the bytes of memory of this machine, None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _attach(path: Path) -> _Attachment:
    folder = user_cache_path("hoptrail", appauthor=False) / "running"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    stat = path.stat()
    told = f"{path}\n{stat.st_size}\n{stat.st_mtime_ns}"
    state = folder / f"{hashlib.sha256(told.encode()).hexdigest()[:16]}.json"
    try:
        # Of two that come at once one starts the server, and the other one finds it.
        with FileLock(state.with_suffix(".lock"), timeout=_LOADING_SECONDS):
            return _join(state) or _start(path, state)
    except Timeout as error:
        raise ModelUnavailableError(
            f"model {path.name} is still being loaded by another process", hint="try again later"
        ) from error


def _join(state: Path) -> _Attachment | None:
    """Return a connection to the server that a state file tells of, None where none runs."""
    try:
        told = json.loads(state.read_text(encoding="utf-8"))
        held = socket.create_connection(("127.0.0.1", told["door"]), HANDSHAKE_SECONDS)
    except (OSError, ValueError, KeyError):
        return None
    try:
        held.sendall(f"{told['key']}\n".encode())
        if held.recv(3) != b"ok\n":  # another program has the port now
            raise ConnectionError
    except OSError:
        held.close()
        return None
    held.settimeout(None)
    return _Attachment(Endpoint(f"http://127.0.0.1:{told['port']}/v1", told["key"]), held)


def _start(path: Path, state: Path) -> _Attachment:
    log = state.with_suffix(".log")
    command = [sys.executable, "-m", "hoptrail.models.local.gguf_server", str(path), str(state)]
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,  # Ctrl-C in one user's terminal is not meant for all users
        )
    deadline = time.monotonic() + _LOADING_SECONDS
    while time.monotonic() < deadline:
        if (attachment := _join(state)) is not None:
            threading.Thread(target=process.wait, daemon=True).start()  # lest it stays a zombie
            return attachment
        if process.poll() is not None:
            raise ModelUnavailableError(
                f"model {path.name} cannot be loaded: {_reason(log, process.returncode)}",
                hint="take another file; `hoptrail doctor` tells whether a model answers",
            )
        time.sleep(_POLL_SECONDS)
    process.kill()
    raise ModelUnavailableError(
        f"model {path.name} was not loaded within {_LOADING_SECONDS:.0f} s",
        hint="take a smaller model",
    )


def _reason(log: Path, code: int) -> str:
    """Return the first error of llama.cpp's log, `SECONDS E FUNCTION: MESSAGE`, else the last line.

    Where the system has ended the process, that is the reason.
    """
    if code < 0:
        return f"its process was ended by signal {-code}, for want of memory perhaps"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    errors = [line.split(" E ", 1)[1].strip() for line in lines if " E " in line]
    told = next(iter(errors), lines[-1] if lines else f"exit code {code}")
    return told.partition(": ")[2] or told


class Users:
    """Counts the connections of those who use the model; each sends the key as a line first."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._lock = threading.Lock()
        self._count = 0
        self._alone_since = time.monotonic() + _FIRST_USER_SECONDS - _IDLE_SECONDS
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def have_gone(self) -> bool:
        """Whether nobody has used the model for a while."""
        with self._lock:
            return self._count == 0 and time.monotonic() - self._alone_since > _IDLE_SECONDS

    def _accept(self) -> None:
        while True:
            connection, _ = self._door.accept()
            threading.Thread(target=self._hold, args=(connection,), daemon=True).start()

    def _hold(self, connection: socket.socket) -> None:
        with connection:
            if not self._is_user(connection):
                return
            with self._lock:
                self._count += 1
            try:
                connection.sendall(b"ok\n")
                connection.settimeout(None)
                while connection.recv(64):
                    pass
            except OSError:
                pass  # killed
            finally:
                with self._lock:
                    self._count -= 1
                    self._alone_since = time.monotonic()

    def _is_user(self, connection: socket.socket) -> bool:
        connection.settimeout(HANDSHAKE_SECONDS)
        try:
            told = connection.makefile("rb").readline(len(self._key) + 1)
        except OSError:
            return False
        return secrets.compare_digest(told.strip(), self._key)


def main(file: str, state: Path) -> int:
    """Load the model, tell where it listens, and wait for the last user to go."""
    engine: Any = importlib.import_module("xllamacpp")
    key = secrets.token_urlsafe(32)
    try:
        server = engine.Server(_parameters(engine, file, key))
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return _CANNOT_LOAD
    users = Users(key)
    address = urlsplit(server.listening_address)
    told = {"port": address.port, "door": users.port, "key": key, "pid": os.getpid()}
    write_whole(state, json.dumps(told), is_private=True)
    try:
        while not users.have_gone:
            time.sleep(_IDLE_SECONDS / 4)
    finally:
        state.unlink(missing_ok=True)
    # Reading stops with the process: nobody is left who waits for a reply.
    os._exit(0)


def _parameters(engine: Any, file: str, key: str) -> object:
    """Return the parameters of llama.cpp: one reply at a time, further ones wait for their turn."""
    parameters = engine.CommonParams()
    parameters.model.path = file
    parameters.model_alias = {Path(file).name}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [key]
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    # Whoever stops waiting is noticed between two batches of a prompt.
    parameters.n_batch = parameters.n_ubatch = _BATCH
    parameters.cpuparams.n_threads = physical_cores()
    parameters.ui = False
    parameters.endpoint_metrics = True  # how many prompts wait
    return parameters


def physical_cores() -> int:
    """Return how many cores this process may use; two threads of one core count once."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return usable or 1
    pairs = {
        tuple(line for line in part.splitlines() if line.startswith(("physical id", "core id")))
        for part in told.split("\n\n")
    }
    cores = len({pair for pair in pairs if len(pair) == 2})
    return max(1, min(usable or 1, cores or usable or 1))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
