"""Runs the application until it is told to stop, and lets running answers finish."""

from __future__ import annotations

import time
from types import FrameType

import uvicorn
from fastapi import FastAPI

from hoptrail.web.runs import Runs

_LAST_BYTES_SECONDS = 5  # to send what is written, after the answers are finished or stopped
_KEEP_ALIVE_SECONDS = 75  # longer than proxies keep a connection that they use again


class GracefulServer(uvicorn.Server):
    """Finishes the running answers after SIGTERM or SIGINT; new questions get 503 meanwhile.

    A second signal stops it at once.

    Args:
        app: The application.
        host: Address to listen on.
        port: Port.
        root_path: Path under which a proxy shows it, which the proxy takes off.
        grace: Seconds that running answers get; then they are stopped.
    """

    def __init__(self, app: FastAPI, *, host: str, port: int, root_path: str, grace: float) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                root_path=root_path,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=_LAST_BYTES_SECONDS,
            )
        )
        self._app = app
        self._grace = grace
        self._deadline: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop taking questions; uvicorn would end the process by the same signal afterwards."""
        if self._deadline is not None:
            self.force_exit = self.should_exit = True
            return
        self._deadline = time.monotonic() + self._grace
        if runs := self._runs():
            runs.is_stopping = True

    async def on_tick(self, counter: int) -> bool:
        """Return whether the server ends, which it does when no answer is unfinished."""
        if self._deadline is not None:
            runs = self._runs()
            if runs is None or not runs.unfinished:
                return True
            if time.monotonic() > self._deadline:
                runs.stop_all()
                return True
        return await super().on_tick(counter)

    def _runs(self) -> Runs | None:
        services = getattr(self._app.state, "services", None)
        return None if services is None else services.runs


def serve(app: FastAPI, *, host: str, port: int, root_path: str, grace: float) -> None:
    """Serve until SIGTERM or SIGINT; see `GracefulServer`."""
    GracefulServer(app, host=host, port=port, root_path=root_path, grace=grace).run()
