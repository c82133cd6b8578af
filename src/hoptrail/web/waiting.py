"""An answer that is sent whole: its run ends when the client goes away meanwhile."""

from __future__ import annotations

import asyncio

from fastapi import Request
from starlette.requests import ClientDisconnect

from hoptrail.core.types import Answer, AnswerEvent
from hoptrail.web.errors import ApiError
from hoptrail.web.event_stream import PAUSE_SECONDS
from hoptrail.web.runs import Run, Stopped


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
