"""Feedback and saved answers: given by readers, reviewed by the owner."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import Field

from hoptrail.api import Hoptrail
from hoptrail.api.reader_feedback import LONGEST_WORDS
from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.core.types import Answer, Feedback, JsonDict, SavedAnswer, SavedNote, Verdict
from hoptrail.web.keys import Access
from hoptrail.web.routes import Body, sent
from hoptrail.web.services import access_of, services_of

router = APIRouter(prefix="/bases/{base}", tags=["feedback"])

Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]
_WORDS = ("id", "verdict", "correction", "comment")


class AnsweredBody(Body):
    """An answer that something is said of: one of a thread, or as it was received."""

    answer: dict[str, Any] = Field(description="The `ask` object.")
    thread: str | None = Field(None, description="The thread that it was given in, if any.")


class NewFeedback(AnsweredBody):
    """Words of a reader on an answer."""

    verdict: Verdict | None = None
    correction: str = Field("", max_length=LONGEST_WORDS, description="The right answer.")
    comment: str = Field("", max_length=LONGEST_WORDS)


class NewSavedAnswer(AnsweredBody):
    """An answer to be given to its question from now on."""

    text: str | None = Field(
        None, max_length=LONGEST_WORDS, description="The right answer; else that of the answer."
    )
    documents: list[str] | None = Field(
        None, max_length=20, description="Ids of the documents that state it; else they are found."
    )
    shared: bool = Field(False, description="Whether all readers get it; only who reviews may.")


@router.post("/feedback", status_code=201)
async def give(request: Request, base: str, body: NewFeedback) -> JsonDict:
    """Keep what a reader says of an answer; it replaces what was said of it before."""
    hoptrail, access = _base(request, base)
    answer = await _answer(request, hoptrail, base, body)
    entry = await asyncio.to_thread(
        hoptrail.feedback,
        answer,
        body.verdict,
        correction=body.correction,
        comment=body.comment,
        thread_id=body.thread,
        reader=access.name,
    )
    return words_of(entry)


@router.get("/feedback")
async def review(
    request: Request,
    base: str,
    verdict: Verdict | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> JsonDict:
    """List the feedback of all readers, the latest first."""
    hoptrail, access = _base(request, base)
    services_of(request).require_review(access)
    found = await asyncio.to_thread(_reviewed, hoptrail, verdict, limit + 1, offset)
    counts = await asyncio.to_thread(hoptrail.feedback_counts)
    return {"feedback": found[:limit], "counts": counts, "more": len(found) > limit}


@router.get(
    "/feedback/export",
    response_class=Response,
    responses=sent("A line of JSON each.", "application/jsonl"),
)
async def export(request: Request, base: str) -> Response:
    """Return the feedback of all readers as a file, a line of JSON each."""
    hoptrail, access = _base(request, base)
    services_of(request).require_review(access)
    found = await asyncio.to_thread(_reviewed, hoptrail)
    text = "".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in found)
    headers = {"Content-Disposition": 'attachment; filename="feedback.jsonl"'}
    return Response(
        text.encode("utf-8", "replace"), media_type="application/jsonl", headers=headers
    )


@router.delete("/feedback/{entry_id}", status_code=204)
async def withdraw(request: Request, base: str, entry_id: str) -> None:
    """Delete one's own feedback; who reviews may delete anybody's."""
    hoptrail, access = _base(request, base)
    reader = _owner(request, access)
    await asyncio.to_thread(hoptrail.delete_feedback, entry_id, reader=reader)


@router.post("/saved", status_code=201)
async def save(request: Request, base: str, body: NewSavedAnswer) -> JsonDict:
    """Give an answer to its question from now on, until a document behind it changes."""
    hoptrail, access = _base(request, base)
    if body.shared:
        services_of(request).require_review(access)
    answer = await _answer(request, hoptrail, base, body)
    saved = await asyncio.to_thread(
        hoptrail.save_answer,
        answer,
        body.text,
        documents=body.documents,
        reader=access.name,
        shared=body.shared,
        filter=access.narrowed(None),
    )
    return shown(saved, saved.note(saved.documents))


@router.get("/saved")
async def saved(request: Request, base: str, limit: Limit = 50, offset: Offset = 0) -> JsonDict:
    """List one's own saved answers, or those of all for who reviews, the latest first."""
    hoptrail, access = _base(request, base)
    found = await asyncio.to_thread(
        hoptrail.saved_answers,
        reader=_owner(request, access),
        limit=limit + 1,
        offset=offset,
        filter=access.narrowed(None),
    )
    return {"saved": [shown(*one) for one in found[:limit]], "more": len(found) > limit}


@router.delete("/saved/{saved_id}", status_code=204)
async def forget(request: Request, base: str, saved_id: str) -> None:
    """Delete one's own saved answer; who reviews may delete anybody's."""
    hoptrail, access = _base(request, base)
    reader = _owner(request, access)
    await asyncio.to_thread(hoptrail.delete_saved_answer, saved_id, reader=reader)


def words_of(entry: Feedback) -> JsonDict:
    """Return what a reader said, without the answer that it was said of."""
    return {name: getattr(entry, name) for name in _WORDS}


def _base(request: Request, name: str) -> tuple[Hoptrail, Access]:
    access = access_of(request)
    return services_of(request).bases.find(name, access)[1], access


def _owner(request: Request, access: Access) -> str | None:
    """Return whose feedback an asker may list and delete: None is everybody's."""
    return None if services_of(request).may_review(access) else access.name


async def _answer(request: Request, hoptrail: Hoptrail, base: str, body: AnsweredBody) -> Answer:
    """Return the answer that something is said of, as its thread has it where it was in one."""
    try:
        given = Answer.from_contract(
            {name: value for name, value in body.answer.items() if name not in ("run", "thread")}
        )
    except (KeyError, TypeError) as error:
        raise InputError("the answer is not whole", hint="send the ask object") from error
    if body.thread is None:
        return given
    entry = await services_of(request).threads.find(access_of(request), body.thread)
    is_here = services_of(request).bases.find(base, access_of(request))[0] == entry.base
    turns = [] if not is_here else await asyncio.to_thread(hoptrail.turns, body.thread)
    for turn in turns:
        if (turn.answer.question, turn.answer.text) == (given.question, given.text):
            return turn.answer
    raise UnknownNameError("answer", given.question, (), listing="it is not in this thread")


def _reviewed(
    hoptrail: Hoptrail, verdict: Verdict | None = None, limit: int | None = None, offset: int = 0
) -> list[JsonDict]:
    """Return entries as the owner sees them, without the words of deleted documents; blocking."""
    return [
        {**entry.to_contract(), "answer": hoptrail.without_deleted(entry.answer).to_contract()}
        for entry in hoptrail.feedback_entries(verdict, limit=limit, offset=offset)
    ]


def shown(saved: SavedAnswer, note: SavedNote) -> JsonDict:
    """Return a saved answer as its reader sees it, with whether it still stands."""
    return {"question": saved.question, "text": saved.text, **note.to_json()}
