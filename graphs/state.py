"""State of the question answering graph: plain JSON-able values only."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal
from uuid import uuid4

from langchain_core.messages import AnyMessage
from langgraph.channels import EphemeralValue, UntrackedValue
from langgraph.types import Overwrite
from typing_extensions import TypedDict

from hoptrail.core.types import (
    Evidence,
    JsonDict,
    NodeUsage,
    QuestionType,
    StopReason,
    Strategy,
    Usage,
)
from hoptrail.graphs.conversation import add_turns


class BatchState(TypedDict):
    """The input of a branch that reads one batch of community reports.

    `reports` are references to the batch, `numbers` the numbers that its reports bear. `max_calls`
    and `max_tokens` are what the turn may have spent once this branch has had its share, `spent`
    what it spent before.
    """

    standalone_question: str
    preset: str
    reports: JsonDict
    numbers: list[int]
    started_at: float
    spent: JsonDict
    max_calls: int
    max_tokens: int


def add_usage(left: JsonDict | None, right: JsonDict | None) -> JsonDict:
    """Reduce two usages by node into their sum."""
    total: dict[str, JsonDict] = dict(left or {})
    for node, spent in (right or {}).items():
        known = NodeUsage.from_json(total[node]) if node in total else NodeUsage()
        total[node] = (known + NodeUsage.from_json(spent)).brief()
    return total


def add_notes(left: list[str] | None, right: list[str] | None) -> list[str]:
    """Reduce two lists of notes into one that says nothing twice."""
    return list(dict.fromkeys([*(left or []), *(right or [])]))


class QuestionInput(TypedDict, total=False):
    """The input of a turn: messages (chat) or a bare question; the question wins over messages."""

    messages: Annotated[list[AnyMessage], add_turns]
    question: Annotated[str, EphemeralValue]


class State(TypedDict, total=False):
    """One turn's channels; only `messages` outlives a turn.

    `question` is what this input brought, and is gone after the first node: a thread never holds
    the question of a turn that failed or was left. `asked` is the turn's question as it was put.
    `question_type` and `strategy` are empty until `route`; nothing reads them before.
    `retrieved` and `evidence` are `Evidence.references()`: before compression, and as sent to the
    last answer call; where that is the same, `evidence` is empty (see `shown_evidence`), and of
    both `finalize` keeps what the answer shows. `draft`,
    `verdict` and `missing` (the pattern that a trace left open) are the JSON forms of the agents'
    values. `focus` is the query of the targeted retrieval, `degraded` names nodes that did without
    the model that they should have used, `message_id` is the id that the answer streamed under.
    `keywords` are the names and themes to search by, `sub_questions` the plan, `steps` what became
    of it: the question as asked, its answer, and references to its evidence. `branches` are the
    concepts that searches start from, with their anchors, and `dots` the records of these searches.
    `batches` are shares of community reports, and `partial` is what each contributes to an answer.
    `notes` are lines about calls that went other than they should, and go into the answer.
    `summary` tells the reader of a trace what an update is about: how much was found, and the
    titles and names that its ids stand for, the answer, or each step with its sentence,
    which no thread keeps, so that those of deleted documents stay in none.
    `progress` is what calls about the question have established, left open and read, `{}` before
    the first further call.
    `course` names the presets that are left to try, and `attempts` are what others came to.
    `saved` is the `note` on an answer that a reader saved for the question, and that answer where
    it stands; `{}` where there is none.
    """

    messages: Annotated[list[AnyMessage], add_turns]
    question: Annotated[str, EphemeralValue]
    asked: str
    standalone_question: str
    unclear: str
    saved: JsonDict
    question_type: QuestionType
    strategy: Strategy
    tried: list[str]
    keywords: dict[str, list[str]]
    sub_questions: list[str]
    steps: list[JsonDict]
    branches: list[JsonDict]
    dots: Annotated[list[JsonDict], operator.add]
    batches: list[BatchState]
    partial: Annotated[list[JsonDict], operator.add]
    rounds_left: int
    retrieved: JsonDict
    evidence: JsonDict
    summary: Annotated[list[str], UntrackedValue]
    preset: str
    course: list[str]
    attempts: list[JsonDict]
    draft: JsonDict
    missing: JsonDict
    focus: str
    verdict: JsonDict
    progress: JsonDict
    degraded: Annotated[list[str], add_notes]
    message_id: str
    stop_reason: StopReason | Literal[""]
    started_at: float
    usage: Annotated[JsonDict, add_usage]
    notes: Annotated[list[str], add_notes]
    answer: JsonDict


Update = dict[str, Any]


def fresh_turn(question: str, *, started_at: float) -> Update:
    """Return the update that clears what an earlier turn of the thread left behind."""
    return {
        **fresh_attempt(),
        "asked": question,
        "standalone_question": question,
        "unclear": "",
        "saved": {},
        "question_type": "",
        "course": [],
        "attempts": [],
        "message_id": str(uuid4()),
        "started_at": started_at,
        "answer": {},
    }


def fresh_attempt() -> Update:
    """Return the update that clears what an earlier attempt at the question left behind."""
    return {
        "preset": "",
        "strategy": "",
        "tried": [],
        "keywords": {},
        "sub_questions": [],
        "steps": [],
        "branches": [],
        "dots": Overwrite([]),
        "batches": [],
        "partial": Overwrite([]),
        "rounds_left": 0,
        "retrieved": {},
        "evidence": {},
        "summary": [],
        "draft": {},
        "missing": {},
        "focus": "",
        "verdict": {},
        "progress": {},
        "stop_reason": "",
    }


def gathered(evidence: Evidence) -> Update:
    """Return the update that a search ends with: all that it found is shown."""
    return {
        "retrieved": evidence.references(),
        "evidence": {},
        "summary": evidence.summary(),
    }


def shown_evidence(state: State) -> JsonDict:
    """Return the references of what the last answer call was sent: the evidence is held once."""
    return state["evidence"] or state["retrieved"]


def total_usage(by_node: Mapping[str, JsonDict], seconds: float = 0.0) -> Usage:
    """Return the sum over nodes; `seconds` is the turn's wall-clock time."""
    usage = Usage()
    for node, spent in by_node.items():
        usage = usage.add(node, NodeUsage.from_json(spent))
    return replace(usage, seconds=round(seconds, 3))
