"""The process that runs a GGUF file: llama.cpp's server on loopback, until its last user has gone.

    python -m hoptrail.models.local.gguf_server FILE STATE

writes where it listens to STATE once the model is loaded. Each user holds a connection to a second
port; the system closes it when the user ends, however that happens.
"""

from __future__ import annotations

import importlib
import json
import os
import secrets
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hoptrail.core.whole_file import write_whole

CONTEXT = 8_192
"""Tokens of prompt and reply that a model is given room for."""
HANDSHAKE_SECONDS = 5.0
"""Longest wait for the key of a new user, and for its answer."""
_FIRST_USER_SECONDS = 30.0
_IDLE_SECONDS = 2.0
_CANNOT_LOAD = 3
_BATCH = 256  # tokens


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
