"""Runs the application until it is told to stop, and lets what it has begun finish."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, cast

import uvicorn
from fastapi import FastAPI
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from hoptrail.web.runs import Runs
from hoptrail.web.sign_on import PeerNotes

_LAST_BYTES_SECONDS = 5  # to send what is written, after the answers are finished or stopped
_KEEP_ALIVE_SECONDS = 75  # longer than proxies keep a connection that they use again


class GracefulServer(uvicorn.Server):
    """Finishes what it has begun after SIGTERM or SIGINT; new questions and uploads get 503.

    A second signal stops it at once.

    Args:
        app: The application.
        host: Address to listen on.
        port: Port.
        root_path: Path under which a proxy shows it, which the proxy takes off.
        grace: Seconds that running answers and uploads get; then they are stopped.
        proxies: Addresses and networks whose `X-Forwarded-Proto` is believed, besides those of
            uvicorn: this machine's own, or those of `FORWARDED_ALLOW_IPS`.
        when_started: Called when requests are taken.
    """

    def __init__(
        self,
        app: FastAPI,
        *,
        host: str,
        port: int,
        root_path: str,
        grace: float,
        proxies: Sequence[str] = (),
        when_started: Callable[[], None] = lambda: None,
    ) -> None:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            root_path=root_path,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # see below
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_LAST_BYTES_SECONDS,
            lifespan="off",  # `serve` does it
        )
        # uvicorn would put this middleware outside, where nothing could see the peer before it.
        believed = ",".join((str(config.forwarded_allow_ips), *proxies))
        forwarded: Any = ProxyHeadersMiddleware(cast(Any, app), believed)
        config.app = cast(Any, PeerNotes(forwarded))
        super().__init__(config)
        self._app = app
        self._grace = grace
        self._when_started = when_started
        self._deadline: float | None = None
        self._begun: frozenset[asyncio.Task[None]] = frozenset()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the application, serve, and close it.

        Raises:
            HoptrailError: If it cannot be opened; uvicorn would log a traceback and exit instead.
        """
        async with self._app.router.lifespan_context(self._app):
            await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and tell so."""
        await super().startup(sockets)
        if self.started:
            self._when_started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop taking questions; uvicorn would end the process by the same signal afterwards."""
        if self._deadline is not None:
            self.force_exit = self.should_exit = True
            return
        self._deadline = time.monotonic() + self._grace
        # Not those that come later: there may be some at any time.
        self._begun = frozenset(self.server_state.tasks)
        if runs := self._runs():
            runs.is_stopping = True

    async def on_tick(self, counter: int) -> bool:
        """Return whether the server ends, which it does when nothing is unfinished."""
        if self._deadline is not None:
            runs = self._runs()
            is_answering = runs is not None and runs.unfinished > 0
            if not is_answering and all(request.done() for request in self._begun):
                return True
            if time.monotonic() > self._deadline:
                if runs is not None:
                    runs.stop_all()
                return True
        return await super().on_tick(counter)

    def _runs(self) -> Runs | None:
        services = getattr(self._app.state, "services", None)
        return None if services is None else services.runs
