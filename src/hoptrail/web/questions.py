"""A question of a client, from what it asks for to the run that answers it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from hoptrail.core.budget import open_account
from hoptrail.core.errors import HoptrailError
from hoptrail.core.filter_text import FilterForm
from hoptrail.core.question import check_question
from hoptrail.core.types import Answer, AnswerEvent, Event
from hoptrail.graphs.conversation import Exchange
from hoptrail.web.gate import RequestNotes
from hoptrail.web.runs import Run
from hoptrail.web.services import WebServices
from hoptrail.web.threads import ThreadEntry, new_thread

NEW_THREAD = "new"
"""Stands for a thread that is yet to be made."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a client puts it.

    Attributes:
        question: As typed.
        base: Name of the knowledge base, None for that of the thread, else the first.
        preset: Name of the preset, None for the default.
        thread: Id of a thread, `NEW_THREAD`, or None to keep nothing.
        filter: Narrows what the key allows.
        saved: Whether an answer that a reader saved for the question is given.
        history: What was asked and answered before, where the client keeps it.
        streams: Whether the client is told of a new thread at once, not with its answer.
    """

    question: str
    base: str | None = None
    preset: str | None = None
    thread: str | None = None
    filter: FilterForm | None = None
    saved: bool = True
    history: Sequence[Exchange] = ()
    streams: bool = False


@dataclass(frozen=True, slots=True)
class Begun:
    """A question that is being answered."""

    run: Run
    base: str
    preset: str
    thread: ThreadEntry | None


async def begin(services: WebServices, notes: RequestNotes, asked: Asked) -> Begun:
    """Begin to answer a question.

    Raises:
        HoptrailError: If it cannot be asked, or the asker may not.
    """
    access = notes.access
    question = check_question(asked.question)
    thread = None
    if asked.thread is not None and asked.thread != NEW_THREAD:
        thread = await services.threads.find(access, asked.thread)
    base, hoptrail = services.bases.find(asked.base or (thread.base if thread else None), access)
    if thread is not None and thread.base != base:
        base, hoptrail = services.bases.find(thread.base, access)
    preset = services.bases.find_preset(asked.preset, access)
    context: dict[str, Any] = {"preset": preset, "reader": access.name}
    if not asked.saved:
        context["saved_answers"] = False
    wanted = access.narrowed(asked.filter)
    if wanted is not None:
        context["filter"] = wanted
    services.rate.take(access)
    await asyncio.to_thread(services.spending.check, access)
    is_new = asked.thread == NEW_THREAD
    if is_new:
        thread = new_thread(base, question)
        if asked.streams:
            await services.threads.add(access, thread)
    thread_id = None if thread is None else thread.id
    notes.details.update(base=base, preset=preset)

    async def answer() -> AsyncGenerator[Event, None]:
        outcome = "failed"
        account = open_account()
        events = hoptrail.astream(question, thread_id=thread_id, history=asked.history, **context)
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, AnswerEvent):
                        outcome = _outcome(event.answer)
                        if thread is not None:
                            if is_new and not asked.streams:
                                # Not before: nobody would know it if this process were killed.
                                await services.threads.add(access, thread)
                            await services.threads.touch(access, thread.id)
                    yield event
        except (asyncio.CancelledError, GeneratorExit):
            outcome = "stopped"
            raise
        finally:
            notes.details.update(outcome=outcome, usd=round(account.usd, 6))
            services.metrics.count_answer(base, preset, outcome, account.usd)
            if account.usd:  # a question that was stopped or failed costs as well
                booking = asyncio.to_thread(services.spending.add, access.name, account.usd)
                await asyncio.shield(booking)

    try:
        run = services.runs.begin(access.name, answer, thread_id)
    except HoptrailError:
        if thread is not None and is_new:
            await services.threads.remove(access, thread)  # nothing will ever be said in it
        raise
    notes.details["run"] = run.id
    return Begun(run, base, preset, thread)


def _outcome(answer: Answer) -> str:
    return "abstained" if answer.abstained else "answered"
