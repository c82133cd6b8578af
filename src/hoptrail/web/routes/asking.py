"""`POST /ask` and `POST /runs/{run}/stop`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from hoptrail.api.steps import DRAFT_STEP, NEXT_STEP, reading_step, waiting_step
from hoptrail.core.errors import HoptrailError
from hoptrail.core.types import (
    AnswerEvent,
    DraftEvent,
    HopEvent,
    JsonDict,
    NodeEvent,
    ReadingEvent,
    TokenEvent,
    WaitingEvent,
)
from hoptrail.web.errors import ApiError, error_body, log_failure
from hoptrail.web.questions import Asked, Begun, begin
from hoptrail.web.responses import COMMENT, PAUSE_SECONDS, EventStream, event_text, final_answer
from hoptrail.web.routes import Body, sent
from hoptrail.web.runs import Stopped
from hoptrail.web.services import access_of, request_notes, services_of

router = APIRouter(tags=["questions"])


class Question(Body):
    """A question; all but `question` may be left out."""

    question: str = Field(description="In words; in a thread it may lean on what was said before.")
    base: str | None = Field(None, description="Knowledge base; else the thread's or the first.")
    preset: str | None = Field(None, description="Way of answering.")
    thread: str | None = Field(None, description='Id of a thread, or "new"; else nothing is kept.')
    filter: str | dict[str, Any] | None = Field(
        None, description="Documents to answer from; it can only narrow what the key allows."
    )
    saved: bool = Field(
        True, description="Whether an answer that a reader saved for the question is given."
    )


@router.post(
    "/ask",
    response_class=Response,
    responses=sent(
        "The answer with its trail; with Accept: text/event-stream its events.",
        "application/json",
        "text/event-stream",
    ),
)
async def ask(request: Request, body: Question) -> Response:
    """Answer a question, at once or as a stream of events."""
    streams = "text/event-stream" in request.headers.get("accept", "")
    asked = Asked(
        body.question,
        body.base,
        body.preset,
        body.thread,
        body.filter,
        body.saved,
        streams=streams,
    )
    begun = await begin(services_of(request), request_notes(request), asked)
    if streams:
        return EventStream(begun.run, _events(begun))
    answer = await final_answer(request, begun.run)
    return JSONResponse({**answer.to_contract(), **_place(begun)})


@router.post("/runs/{run_id}/stop", status_code=204)
async def stop(request: Request, run_id: str) -> None:
    """Stop a question that is being answered."""
    run = services_of(request).runs.find(run_id, access_of(request).name)
    if run is None:
        raise ApiError(404, "not_found", "there is no such run", hint="it may have ended")
    run.stop()


async def _events(begun: Begun) -> AsyncIterator[str]:
    place = _place(begun)
    yield event_text({**place, "base": begun.base, "preset": begun.preset}, "start")
    try:
        async for event in begun.run.events(PAUSE_SECONDS):
            match event:
                case None:
                    yield COMMENT
                case NodeEvent():
                    following = NEXT_STEP.get(event.node, event.node.replace("_", " "))
                    told = {"node": event.node, "seconds": event.seconds, "next": following}
                    yield event_text(told, "node")
                case WaitingEvent():
                    told = {"ahead": event.ahead, "next": waiting_step(event)}
                    yield event_text(told, "waiting")
                case ReadingEvent():
                    told = {"tokens": event.tokens, "seconds": event.seconds, "read": event.read}
                    yield event_text({**told, "next": reading_step(event)}, "reading")
                case DraftEvent():
                    yield event_text({"text": event.text, "next": DRAFT_STEP}, "draft")
                case TokenEvent():
                    yield event_text({"text": event.text}, "token")
                case HopEvent():
                    yield event_text({"hop": event.hop.to_json()}, "hop")
                case AnswerEvent():
                    yield event_text({**event.answer.to_contract(), **place}, "answer")
    except Stopped:
        yield event_text({}, "stopped")
    except Exception as error:
        if not isinstance(error, HoptrailError):
            log_failure(error)
        yield event_text(error_body(error), "error")


def _place(begun: Begun) -> JsonDict:
    return {"run": begun.run.id, "thread": begun.thread and begun.thread.id}
