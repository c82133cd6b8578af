"""The common base of the stub servers: HTTP on loopback, and replies as JSON and as events."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Self


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
