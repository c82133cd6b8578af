"""Runs the app until it is told to stop, and stops without dropping a reply."""

from __future__ import annotations

import time
from types import FrameType

import torch
import uvicorn
from fastapi import FastAPI

from hoptrail.models.graph_llm.server.backend import Backend

_LAST_BYTES_SECONDS = 5  # to send what is written, after the replies are finished or abandoned


class GracefulServer(uvicorn.Server):
    """Finishes the running replies after SIGTERM or SIGINT; new requests get 503 meanwhile.

    A second signal stops it at once.

    Args:
        app: The app.
        backend: Writes its replies.
        host: Address to listen on.
        port: Port.
        patience: Seconds that running replies get; then they are abandoned.
    """

    def __init__(
        self, app: FastAPI, backend: Backend, *, host: str, port: int, patience: float
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=_LAST_BYTES_SECONDS,
            )
        )
        self._backend = backend
        self._patience = patience
        self._deadline: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop taking requests; uvicorn would end the process by the same signal afterwards."""
        if self._deadline is not None:
            self.force_exit = self.should_exit = True
            self._backend.abandon()
            return
        self._deadline = time.monotonic() + self._patience
        self._backend.stop_accepting()

    async def on_tick(self, counter: int) -> bool:
        """Return whether the server ends, which it does when no reply is left unfinished."""
        if self._deadline is not None:
            if time.monotonic() > self._deadline:
                self._backend.abandon()
                return True
            if not self._backend.unfinished:
                return True
        return await super().on_tick(counter)


def share_processor() -> None:
    """Give the two threads that compute, for prompts and for tokens, half of the cores each.

    With all cores each, they wait for one another at every operation.
    """
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))


def serve(app: FastAPI, backend: Backend, *, host: str, port: int, patience: float) -> None:
    """Serve until SIGTERM or SIGINT; see `GracefulServer`."""
    GracefulServer(app, backend, host=host, port=port, patience=patience).run()
