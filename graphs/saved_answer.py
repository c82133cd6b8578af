"""An answer that a reader saved for the question: looked up, and given in place of a search."""

from __future__ import annotations

from hoptrail.core.budget import run_clock
from hoptrail.core.errors import KnowledgeBaseError
from hoptrail.core.types import (
    Answer,
    AnswerCandidate,
    JsonDict,
    SavedAnswer,
    SavedNote,
)
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.state import State, total_usage
from hoptrail.services.request_services import call_tool
from hoptrail.tools.lookup import FIND_SAVED, Found


async def find_saved(question: str, run: NodeRun) -> JsonDict:
    """Return the saved answer and its note in their JSON forms, {} where there is none."""
    tool = run.services.tools.get(FIND_SAVED)
    if tool is None or not run.context.saved_answers:
        return {}
    try:
        found: Found = await call_tool(tool, question=question, reader=run.context.reader)
    except KnowledgeBaseError as error:  # the documents can be asked all the same
        run.meter.notes.append(f"saved answers were passed over: {error.message}")
        return {}
    if found is None:
        return {}
    saved, note = found
    return {"note": note.to_json(), "saved": saved.to_json() if note.stands else {}}


def is_saved(state: State) -> bool:
    """Return whether a saved answer stands for the question."""
    return bool((state.get("saved") or {}).get("saved"))


def note_of(state: State) -> SavedNote | None:
    """Return what is to be told of an answer that was saved for the question."""
    found = state.get("saved")
    return SavedNote.from_json(found["note"]) if found else None


def saved_result(state: State, run: NodeRun) -> Answer:
    """Return the answer of a turn whose question a saved answer stands for."""
    saved = SavedAnswer.from_json(state["saved"]["saved"])
    wanted = run.context.document_filter
    return Answer(
        question=state["asked"],
        text=saved.text,
        standalone_question=state["standalone_question"],
        answers=(AnswerCandidate(saved.text),),
        preset=state["preset"],
        presets=(state["preset"],),
        strategy="saved",
        degraded=(*state["degraded"], *state["notes"]),
        trail=saved.trail,
        citations=saved.citations,
        nearest=saved.nearest,
        usage=total_usage(state["usage"], seconds=run_clock() - state["started_at"]),
        filter=None if wanted is None else wanted.to_json(),
        saved=note_of(state),
    )
