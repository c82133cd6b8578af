"""Servers of models that fall silent at any byte, and clocks that jump: `max_seconds` is kept."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from unittest import mock

from benchmarks.campaigns.trials import Kind, kept_folder, load_heavy, people
from hoptrail.api import Hoptrail
from hoptrail.core.settings import Settings

_MOST_SECONDS = 3.0
LEEWAY = 2.0
_QUESTION = "Where was Person P3 born?"
_TEXT = "HOPS:\nHOP 1: Person P3 | born in | Brod | P1\nFINAL ANSWER: Brod"
_REAL = time.time


class SilentServer:
    """Sends some bytes of a good reply to every request, and then nothing more.

    Args:
        sent: How many bytes of the reply it sends.
        jump: Seconds by which the system's clock jumps when a request comes.
    """

    def __init__(self, sent: int, jump: float = 0.0) -> None:
        self._sent = sent
        self._jump = jump
        self.offset = 0.0
        self._open: list[socket.socket] = []

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve, and give the address."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=self._accept, args=(server,), daemon=True).start()
            try:
                yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
            finally:
                server.shutdown(socket.SHUT_RDWR)
                for connection in self._open:
                    connection.close()

    def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        try:
            request = connection.recv(1 << 20)
            while b"\r\n\r\n" not in request or not request.rstrip().endswith(b"}"):
                more = connection.recv(1 << 20)
                if not more:
                    return
                request += more
            self.offset = self._jump
            connection.sendall(
                _response(b'"stream":true' in request.replace(b" ", b""))[: self._sent]
            )
        except OSError:
            return


def _response(streams: bool) -> bytes:
    """Return a whole HTTP response with a reply."""
    common = {"id": "1", "created": 1, "model": "stub"}
    if not streams:
        message = {"role": "assistant", "content": _TEXT}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = json.dumps({**common, "object": "chat.completion", "choices": [choice]}).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    events = []
    for place in range(0, len(_TEXT), 8):
        delta = {"content": _TEXT[place : place + 8]}
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        payload = {**common, "object": "chat.completion.chunk", "choices": [choice]}
        events.append(f"data: {json.dumps(payload)}\n\n".encode())
    events.append(b"data: [DONE]\n\n")
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(event), event) for event in events)
    return head + chunks + b"0\r\n\r\n"


@cache
def _base() -> Path:
    load_heavy()
    folder = kept_folder() / "kb"
    with Hoptrail.open(folder, create=True, settings=Settings(embedder="hashing")) as hoptrail:
        hoptrail.index(people(12), extractor="nlp")
        hoptrail.ask(_QUESTION, preset="offline")  # imports what the first question takes
    return folder


class _Timed:
    """Seconds from its making to its end, and those of the processor."""

    def __init__(self) -> None:
        self.whole, self.processor = time.monotonic(), time.process_time()

    def end(self) -> None:
        """Stop counting."""
        self.whole = time.monotonic() - self.whole
        self.processor = time.process_time() - self.processor


def stall(presets: tuple[str, ...], jumps: tuple[float, ...], seed: int, _folder: Path) -> int:
    """Ask a server that falls silent at a byte, while the clock jumps; an answer comes in time."""
    chance = random.Random(seed)
    server = SilentServer(chance.randrange(len(_response(True))), chance.choice(jumps))
    with (
        server.serving() as url,
        mock.patch("time.time", lambda: _REAL() + server.offset),
        Hoptrail.open(
            _base(),
            settings=Settings(
                embedder="hashing",
                model="openai:stub",
                base_url=url,
                api_key="none",  # type: ignore[arg-type]
            ),
        ) as hoptrail,
    ):
        hoptrail.ask(_QUESTION, preset="offline")
        calm = _Timed()
        hoptrail.ask(_QUESTION, preset="offline")
        calm.end()
        asked = _Timed()
        answer = hoptrail.ask(_QUESTION, preset=chance.choice(presets), max_seconds=_MOST_SECONDS)
        asked.end()
    assert answer.text.strip()
    # Of a busy machine, this process has a share; what it waits for that is no fault of its own.
    waited = asked.processor * max(calm.whole / calm.processor - 1, 0)
    assert asked.whole - waited < _MOST_SECONDS + LEEWAY, (
        f"{asked.whole:.1f} s, {waited:.1f} waited"
    )
    return 1


_PRESETS = ("reasoning", "auto", "growth", "dagr", "dotrag", "lightrag", "vector", "graphrag")
KINDS = [
    Kind("silent", partial(stall, _PRESETS, (0.0,)), limit=180),
    Kind("clock", partial(stall, _PRESETS, (-7200.0, 7200.0)), limit=180),
]
