"""Responses that end their run when the client goes away: streams of events, and whole answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hoptrail.core.types import Answer, AnswerEvent
from hoptrail.web.errors import ApiError
from hoptrail.web.runs import Run, Stopped

PAUSE_SECONDS = 15.0
"""After so long without an event a comment is sent: proxies close silent connections."""

COMMENT = ": still here\n\n"


def event_text(data: Any, event: str | None = None) -> str:
    """Return an event as it is sent; JSON has no line breaks of its own."""
    head = "" if event is None else f"event: {event}\n"
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n"


class EventStream(Response):
    """Sends the pieces of a text while they come.

    Args:
        run: It is ended when the response is, however that ends.
        pieces: What is sent; read to its end, unless the client goes away.
    """

    media_type = "text/event-stream"

    def __init__(self, run: Run, pieces: AsyncIterator[str]) -> None:
        # No proxy may wait for more before it hands on.
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._run = run
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        async with self._run, anyio.create_task_group() as group:
            group.start_soon(self._watch, receive, group.cancel_scope)
            await self._send(send)
            group.cancel_scope.cancel()

    async def _send(self, send: Send) -> None:
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        async for piece in self._pieces:
            # A lone surrogate cannot be sent, and it is no text anyway.
            body = piece.encode("utf-8", "replace")
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _watch(self, receive: Receive, scope: anyio.CancelScope) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()


async def final_answer(request: Request, run: Run) -> Answer:
    """Return the answer of a run.

    Args:
        request: Its body is read; the run ends when its client goes away.
        run: Not read yet.

    Raises:
        ClientDisconnect: If nobody waits for the answer any more.
        ApiError: If the run was stopped.
        HoptrailError: What the question came to.
    """
    async with run:
        answering = asyncio.create_task(_last(run))
        leaving = asyncio.create_task(_disconnect(request))
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                raise ClientDisconnect
            return answering.result()
        finally:
            answering.cancel()
            leaving.cancel()


async def _last(run: Run) -> Answer:
    try:
        answers = [
            event.answer
            async for event in run.events(PAUSE_SECONDS)
            if isinstance(event, AnswerEvent)
        ]
    except Stopped:
        raise ApiError(503, "stopping", "the question was stopped", hint="ask again") from None
    return answers[-1]


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
