"""Lines to a server that are slow, or dead from a moment on."""

from __future__ import annotations

import socket
import socketserver
import threading
import time


class SlowProxy(socketserver.ThreadingTCPServer):
    """Hands bytes on to a server, each answer late; a dead one hands nothing on.

    Args:
        port: The server's.
        seconds: How late.
    """

    daemon_threads = True

    def __init__(self, port: int, seconds: float = 0.0) -> None:
        self.target = port
        self.seconds = seconds
        self.is_dead = False
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"bolt://127.0.0.1:{self.server_address[1]}"


class _Handler(socketserver.BaseRequestHandler):
    server: SlowProxy

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.target)) as target:
            back = threading.Thread(target=self._copy, args=(target, self.request), daemon=True)
            back.start()
            self._copy(self.request, target, seconds=0)

    def _copy(
        self, source: socket.socket, sink: socket.socket, seconds: float | None = None
    ) -> None:
        last = 0.0
        try:
            while data := source.recv(1 << 16):
                if self.server.is_dead:
                    continue
                if time.monotonic() - last > 0.1:  # the first piece of an answer
                    time.sleep(self.server.seconds if seconds is None else seconds)
                sink.sendall(data)
                last = time.monotonic()
        except OSError:
            pass
