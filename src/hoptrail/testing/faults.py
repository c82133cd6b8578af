"""A real HTTP server on loopback, and the ways in which a chat server or its model goes wrong."""

from __future__ import annotations

import json
import random
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

from hoptrail.core.errors import UnknownNameError


class LoopbackServer:
    """Answers on 127.0.0.1 while it is entered as a context manager.

    Attributes:
        handler: Answers one connection; finds this server as its `stub`.
        port: Port to listen on; 0 takes a free one, which stands here afterwards.
    """

    handler: ClassVar[type[LoopbackHandler]]
    port: int = 0

    @property
    def url(self) -> str:
        """Base URL for OpenAI clients, ending in `/v1`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._stopping = threading.Event()
        handler = type("StubHandler", (self.handler,), {"stub": self})
        self._http = _QuietServer(("127.0.0.1", self.port), handler)
        self.port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def hang(self, seconds: float) -> None:
        """Wait, but not longer than the server lives."""
        self._stopping.wait(seconds)


class LoopbackHandler(BaseHTTPRequestHandler):
    """Reads JSON, and sends JSON or an event stream."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing of requests."""

    def read_json(self) -> Any:
        """Return the request's body."""
        return json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))

    def send_json(
        self,
        status: int,
        payload: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
        *,
        drop: bool = False,
    ) -> None:
        """Send a whole reply; with `drop` half of it, after which the connection breaks off."""
        data = json.dumps(payload).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if drop else data)
        self.close_connection = drop

    def start_events(self) -> None:
        """Begin an event stream."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send_event(self, data: str) -> None:
        """Send one event."""
        self._send_chunk(f"data: {data}\n\n".encode())

    def end_events(self, *, drop: bool = False) -> None:
        """End the stream; with `drop` the connection breaks off instead."""
        if drop:
            self.close_connection = True
        else:
            self._send_chunk(b"")

    def _send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


class _QuietServer(ThreadingHTTPServer):
    """Does not report clients that hang up, as they do after a timeout."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@dataclass(frozen=True, slots=True)
class Fault:
    """A reply that is not as it should be.

    Attributes:
        status: HTTP status; another one than 200 makes `text` the error's message.
        text: What the model says, or the error's message.
        headers: Further response headers.
        code: The error's code.
        delay: Seconds before the reply.
        pause: Seconds before each piece of a streamed reply.
        stall: Seconds of silence in the middle of a streamed reply.
        drop: Whether the connection is cut in the middle of the reply.
        finish_reason: Why the model stopped, where that is not the usual reason.
    """

    status: int = 200
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    code: str | None = None
    delay: float = 0.0
    pause: float = 0.0
    stall: float = 0.0
    drop: bool = False
    finish_reason: str = ""


def http_error(
    status: int, message: str = "scripted error", *, retry_after: float | str | None = None
) -> Fault:
    """Return an HTTP error, with `Retry-After` in seconds or as an HTTP date."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return Fault(status, message, headers)


def hang(seconds: float = 3600.0) -> Fault:
    """Return a reply that comes too late."""
    return Fault(text="too late", delay=seconds)


def slow(text: str, seconds: float) -> Fault:
    """Return a streamed reply with a pause before each of its pieces."""
    return Fault(text=text, pause=seconds)


def stalled(text: str, seconds: float = 3600.0) -> Fault:
    """Return a streamed reply that falls silent in the middle."""
    return Fault(text=text, stall=seconds)


def dropped(text: str = "The connection will not last until the end of this.") -> Fault:
    """Return a reply whose connection is cut in the middle."""
    return Fault(text=text, drop=True)


def empty() -> Fault:
    """Return a reply without content."""
    return Fault()


def truncated(data: Mapping[str, Any]) -> Fault:
    """Return the first two thirds of an object's JSON, as a token limit leaves it."""
    text = json.dumps(data)
    return Fault(text=text[: len(text) * 2 // 3], finish_reason="length")


def fenced(data: Mapping[str, Any]) -> Fault:
    """Return an object in a Markdown fence."""
    return Fault(text=f"```json\n{json.dumps(data, indent=2)}\n```")


def in_prose(data: Mapping[str, Any]) -> Fault:
    """Return an object with chatter before and after it."""
    return Fault(text=f"Sure! Here {{as asked}} it is:\n{json.dumps(data)}\nAnything else?")


def wrong_types(data: Mapping[str, Any]) -> Fault:
    """Return an object whose every value has become a list of numbers in a list."""
    return Fault(text=json.dumps({key: [[1, 2], [3]] for key in data}))


def noise(size: int = 50_000, seed: int = 0) -> Fault:
    """Return random characters that often look like JSON."""
    symbols = 'abc xyz{}[]":,\\n0123'
    return Fault(text="".join(random.Random(seed).choices(symbols, k=size)))


_BY_NAME: dict[str, Callable[..., Fault]] = {
    "http_error": http_error,
    "hang": hang,
    "slow": slow,
    "stalled": stalled,
    "dropped": dropped,
    "empty": empty,
    "truncated": truncated,
    "fenced": fenced,
    "in_prose": in_prose,
    "wrong_types": wrong_types,
    "noise": noise,
}


def fault_from_json(name: str, options: Mapping[str, Any]) -> Fault:
    """Return the fault of that name, such as http_error with `{"status": 429}`.

    Raises:
        UnknownNameError: If there is no such fault.
    """
    if name not in _BY_NAME:
        raise UnknownNameError("fault", name, _BY_NAME)
    return _BY_NAME[name](**options)
