"""Whoever needs a GGUF file finds its server running, or starts it: one for all of a user."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from hoptrail.core.errors import ModelUnavailableError, SettingsError
from hoptrail.models.local.gguf_server import HANDSHAKE_SECONDS
from hoptrail.models.local.model_files import read_gguf_header

_LOADING_SECONDS = 600.0
_POLL_SECONDS = 0.1
_GIGABYTE = 1e9


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
