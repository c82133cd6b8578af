"""Threads: listed, read, renamed, exported, deleted; those of others, read by their links."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from enum import StrEnum
from functools import cache, partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from hoptrail.api import Hoptrail
from hoptrail.core.errors import UnknownNameError
from hoptrail.core.types import Answer, JsonDict
from hoptrail.web.answer_text import conversation_markdown
from hoptrail.web.keys import Access
from hoptrail.web.routes import Body, sent
from hoptrail.web.routes.feedback import shown, words_of
from hoptrail.web.services import access_of, services_of
from hoptrail.web.threads import LONGEST_TITLE, SharedThread, ThreadEntry, new_thread

router = APIRouter(prefix="/threads", tags=["threads"])
shared_router = APIRouter(prefix="/shared", tags=["threads"])

Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]


class ExportFormat(StrEnum):
    """Form of an exported thread."""

    MARKDOWN = "markdown"
    JSON = "json"


class NewThread(Body):
    """A thread to be made."""

    base: str | None = None
    title: str = Field("", max_length=LONGEST_TITLE)


class Share(Body):
    """A link to be made."""

    days: int = Field(30, ge=1, le=365)


class Title(Body):
    """Another title."""

    title: str = Field(min_length=1, max_length=LONGEST_TITLE)


@router.get("")
async def threads(
    request: Request, base: str | None = None, limit: Limit = 50, offset: Offset = 0
) -> JsonDict:
    """List the threads of this key, the latest first."""
    services, access = services_of(request), access_of(request)
    known = services.bases.names(access)
    names = known if base is None else [services.bases.find(base, access)[0]]
    found, more = await services.threads.latest(access, names, limit=limit, offset=offset)
    return {"threads": [entry.to_json() for entry in found], "more": more}


@router.post("", status_code=201)
async def make(request: Request, body: NewThread) -> JsonDict:
    """Make an empty thread."""
    services, access = services_of(request), access_of(request)
    base, _ = services.bases.find(body.base, access)
    entry = new_thread(base, body.title)
    await services.threads.add(access, entry)
    return entry.to_json()


@router.get("/{thread_id}")
async def show(request: Request, thread_id: str) -> JsonDict:
    """Return a thread with its turns, the oldest first."""
    entry, hoptrail = await _find(request, thread_id)
    turns = await asyncio.to_thread(_judged_turns, hoptrail, thread_id, access_of(request))
    return {**entry.to_json(), "turns": turns}


@router.patch("/{thread_id}")
async def rename(request: Request, thread_id: str, body: Title) -> JsonDict:
    """Give a thread another title."""
    await _find(request, thread_id)
    services = services_of(request)
    return (await services.threads.rename(access_of(request), thread_id, body.title)).to_json()


@router.delete("/{thread_id}", status_code=204)
async def delete(request: Request, thread_id: str) -> None:
    """Delete a thread and what was said in it."""
    entry, hoptrail = await _find(request, thread_id)
    services = services_of(request)
    await services.runs.end_in(thread_id)
    with suppress(UnknownNameError):  # nothing was answered in it yet
        await asyncio.to_thread(hoptrail.delete_thread, thread_id)
    await services.threads.remove(access_of(request), entry)


@router.get("/{thread_id}/share")
async def shared(request: Request, thread_id: str) -> JsonDict:
    """Return the link by which others may read a thread, null where there is none."""
    await _find(request, thread_id)
    found = await services_of(request).threads.shared(access_of(request), thread_id)
    return {"share": None if found is None else _link(found)}


@router.post("/{thread_id}/share", status_code=201)
async def share(request: Request, thread_id: str, body: Share) -> JsonDict:
    """Make a link by which others may read a thread; the one before ends."""
    await _find(request, thread_id)
    made = await services_of(request).threads.share(access_of(request), thread_id, body.days)
    return {"share": _link(made)}


@router.delete("/{thread_id}/share", status_code=204)
async def unshare(request: Request, thread_id: str) -> None:
    """End the link to a thread."""
    await _find(request, thread_id)
    await services_of(request).threads.unshare(access_of(request), thread_id)


@router.get(
    "/{thread_id}/export",
    response_class=Response,
    responses=sent("The thread as a file.", "text/markdown", "application/json"),
)
async def export(
    request: Request, thread_id: str, format: ExportFormat = ExportFormat.MARKDOWN
) -> Response:
    """Return a thread as a file."""
    entry, hoptrail = await _find(request, thread_id)
    turns = await asyncio.to_thread(_turns_of, hoptrail, thread_id)
    name = "conversation.json" if format == ExportFormat.JSON else "conversation.md"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if format == ExportFormat.JSON:
        return JSONResponse({**entry.to_json(), "turns": turns}, headers=headers)
    answers = [Answer.from_contract(turn["answer"]) for turn in turns]
    text = conversation_markdown(entry.title, answers)
    return Response(text.encode("utf-8", "replace"), media_type="text/markdown", headers=headers)


@shared_router.get("/{token}", name="shared")
async def open_shared(request: Request, token: str) -> JsonDict:
    """Return a thread of somebody else by its link, to be read."""
    services, access = services_of(request), access_of(request)
    known = services.bases.names(access)
    link, entry = await services.threads.open_shared(access, known, token)
    _, hoptrail = services.bases.find(entry.base, access)
    turns = await asyncio.to_thread(_turns_of, hoptrail, link.thread)
    return {"title": entry.title, "base": entry.base, "expires": link.expires, "turns": turns}


async def _find(request: Request, thread_id: str) -> tuple[ThreadEntry, Hoptrail]:
    """Return a thread of this key, and its base where the key may still use it."""
    services, access = services_of(request), access_of(request)
    entry = await services.threads.find(access, thread_id)
    return entry, services.bases.find(entry.base, access)[1]


def _link(shared: SharedThread) -> JsonDict:
    return {"token": shared.token, "created": shared.created, "expires": shared.expires}


def _turns_of(hoptrail: Hoptrail, thread_id: str) -> list[JsonDict]:
    """Return the questions of a thread with their answers, the oldest first."""
    return [
        {
            "question": turn.answer.question,
            "asked": turn.asked,
            "answer": hoptrail.without_deleted(turn.answer).to_contract(),
        }
        for turn in hoptrail.turns(thread_id)
    ]


def _judged_turns(hoptrail: Hoptrail, thread_id: str, access: Access) -> list[JsonDict]:
    """Return the turns of a thread, each with what its reader said of it and saved; blocking.

    An answer counts as saved where what is saved for its question has its words, or those of the
    reader's correction.
    """
    saved_answer = cache(
        partial(hoptrail.saved_answer, reader=access.name, filter=access.narrowed(None))
    )
    turns = _turns_of(hoptrail, thread_id)
    said = hoptrail.feedback_of_thread(thread_id, access.name)
    by_answer = {(one.answer.question, one.answer.text): words_of(one) for one in said}
    for turn in turns:
        answer = turn["answer"]
        told = by_answer.get((turn["question"], answer["answer"]))
        question = answer["standalone_question"] or turn["question"]
        found = saved_answer(question)
        own_words = (answer["answer"], told and told["correction"])
        turn["feedback"] = told
        turn["saved"] = shown(*found) if found is not None and found[0].text in own_words else None
    return turns
