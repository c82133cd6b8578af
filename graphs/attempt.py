"""One preset's attempt at a question: how it begins, is drafted and kept, which one is better."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Literal, cast, get_args

from hoptrail.agents.answering.prompt_answerer import PromptingStrategy
from hoptrail.agents.dagr import split_by_clauses
from hoptrail.agents.language.reserves import is_about_wording, other_reading
from hoptrail.agents.verification.likelihood import is_unlikely
from hoptrail.agents.verification.same_answer import are_same_answers
from hoptrail.agents.verification.verifier import Verification
from hoptrail.core.errors import (
    BudgetExceededError,
    HoptrailError,
    ModelReplyError,
    ModelUnavailableError,
)
from hoptrail.core.types import JsonDict, QuestionType, StopReason
from hoptrail.core.types.draft import Draft
from hoptrail.graphs.context import Context
from hoptrail.graphs.node_run import NodeRun
from hoptrail.graphs.presets import PRESETS, Preset
from hoptrail.graphs.state import State, Update, total_usage

_Channel = Literal["preset", "strategy", "retrieved", "evidence", "draft", "verdict", "stop_reason"]
PROMPTED = frozenset(get_args(PromptingStrategy))
_RECORDED: tuple[_Channel, ...] = get_args(_Channel)

Drafting = Callable[[], Awaitable[Draft]]


def begin(preset: Preset, question_type: QuestionType, context: Context) -> Update:
    """Return the update that sets a preset to work on the question."""
    chosen = context.max_rounds
    return {
        "preset": preset.name,
        "strategy": preset.strategies[question_type],
        "rounds_left": preset.rounds if chosen is None else chosen,
    }


def record(state: State) -> JsonDict:
    """Return what an attempt came to."""
    return {name: state[name] for name in _RECORDED}


def is_verified(state: State) -> bool:
    """Return whether the attempt gave an answer that its trail bears out."""
    return _support(record(state))[1]


def is_settled(state: State) -> bool:
    """Return whether an answer needs no further call: it is borne out, or no step of it is open.

    One that follows from facts (yes or no, a comparison, a count) stands once it is given; one of
    another kind than the question asks for is no answer yet.
    """
    if not state["draft"] or Draft.from_json(state["draft"]).abstained:
        return False
    verdict = Verification.from_json(state["verdict"])
    hops = verdict.trail.hops
    nothing_is_open = bool(hops) and all(hop.support != "none" for hop in hops)
    return not verdict.of_other_kind and (verdict.derived or verdict.verified or nothing_is_open)


def may_grow(state: State) -> bool:
    """Return whether a further call may follow: one that a prompt has opened, with rounds left."""
    is_prompted = bool(state["verdict"]) and state["strategy"] in PROMPTED
    return PRESETS[state["preset"]].grows and is_prompted and state["rounds_left"] > 0


def needs_other_method(state: State) -> bool:
    """Return whether the next preset of the course has something to add.

    It has where an answer is neither verified nor one that follows; after the short prompt of a
    small model, where there is none at all. Where evidence grows, a method that takes the question
    apart helps only if the reader took nothing apart itself, though there is something to take
    apart: what it named as open, and growth did not find, stays so.
    """
    if state["stop_reason"] not in {"", "nothing_new"}:
        return False
    preset = PRESETS[state["preset"]]
    if not preset.needs_model:
        return not _is_plain(state)
    if state["strategy"] == "short":
        return not any(map(is_answer, (*state["attempts"], record(state))))
    if not preset.grows:
        return not (is_verified(state) or _is_derived(state))
    calls = [*state["attempts"], record(state)] if state["draft"] else state["attempts"]
    if not calls or is_settled(state):
        return False
    first = Draft.from_json(calls[0]["draft"])
    took_apart = first.hops or first.still_open
    return not took_apart and len(split_by_clauses(state["standalone_question"])) > 1


def _is_plain(state: State) -> bool:
    """Return whether an answer was given that nothing speaks against."""
    if not state["verdict"] or Draft.from_json(state["draft"]).abstained:
        return False
    verdict = Verification.from_json(state["verdict"])
    return verdict.verified and verdict.reserve is None


def _is_derived(state: State) -> bool:
    return bool(state["verdict"]) and Verification.from_json(state["verdict"]).derived


def may_be_replaced(state: State) -> bool:
    """Return whether another attempt's answer may be given instead of this one's."""
    grows = PRESETS[state["preset"]].grows and state["rounds_left"] > 0
    is_one_of_many = any(map(is_answer, state["attempts"]))
    return bool(state["course"]) or grows or is_one_of_many


def best_of(attempts: Sequence[JsonDict]) -> JsonDict:
    """Return the attempt that is borne out best, the earliest of equals.

    Where none gives an answer, what stopped any of them is why.
    """
    best = max(attempts, key=_support)
    if is_answer(best):
        return best
    reasons = (one["stop_reason"] for one in attempts)
    return {**best, "stop_reason": next(filter(None, reasons), "")}


def read_twice(attempts: Sequence[JsonDict]) -> JsonDict | None:
    """Return the answer of two independent readings, None where there are not two answers.

    One was found without a model, or by a query over tables, the other by a short prompt that has
    not seen it. Where they agree, a doubt about the wording alone is settled. Where they do not,
    the one that was found stands if its trail states several steps, for small models join facts
    badly, and it is not unlikely; else the one that was read, and either way the other one is told.

    Args:
        attempts: Of the turn, in order.
    """
    given = [one for one in attempts if _answers(one) and one["verdict"]]
    found = next((one for one in given if one["strategy"] in {"graph_search", "tables"}), None)
    read = next((one for one in given if one["strategy"] == "short"), None)
    if found is None or read is None:
        return None
    verdict = Verification.from_json(found["verdict"])
    drafts = [Draft.from_json(one["draft"]) for one in (found, read)]
    if are_same_answers(*(one.answers for one in drafts)):
        verdict = replace(verdict, likelihood=None)  # that of one reading alone
        if verdict.reserve is not None and is_about_wording(verdict.reserve):
            verdict = replace(verdict, reserve=None)
        return {**found, "verdict": verdict.to_json()}
    is_chain = found["strategy"] == "graph_search"  # cells of a query are no steps
    states_steps = verdict.verified and sum(hop.supported for hop in verdict.trail.hops) > 1
    if is_chain and states_steps and not is_unlikely(verdict):
        return _beside(found, drafts[1].text)
    return _beside(read, drafts[0].text)


def _beside(attempt: JsonDict, other: str) -> JsonDict:
    """Return an attempt whose reserve tells what another reading gives."""
    verdict = Verification.from_json(attempt["verdict"])
    return {**attempt, "verdict": replace(verdict, reserve=other_reading(other)).to_json()}


def _answers(attempt: JsonDict) -> bool:
    return bool(attempt["draft"]) and not Draft.from_json(attempt["draft"]).abstained


def is_answer(attempt: JsonDict) -> bool:
    """Return whether an attempt gives an answer that is not more likely wrong than right."""
    return _support(attempt)[0]


def _support(attempt: JsonDict) -> tuple[bool, bool, float]:
    """Return whether it answers, whether that is verified, and its share of supported hops.

    An answer that is more likely wrong than right is none.
    """
    if not _answers(attempt):
        return False, False, 0.0
    if not attempt["verdict"]:
        return True, False, 0.0
    verdict = Verification.from_json(attempt["verdict"])
    if is_unlikely(verdict):
        return False, False, 0.0
    is_verified = verdict.verified and not verdict.of_other_kind
    return True, is_verified, verdict.trail.supported_share or 0.0


async def draft_or_fall_back(
    ask: Drafting, fall_back: Drafting, state: State, run: NodeRun
) -> tuple[Draft, StopReason | Literal[""]]:
    """Return the model's draft; else the draft made without it, and why.

    Unlike the other decisions of a run, one on the answer itself ends the run where it fails: a
    retry would ask the same model, or spend from the same budget. A reply that cannot be read
    leaves the rest of the run as it is.
    """
    try:
        return await ask(), ""
    except ModelReplyError as error:
        run.meter.degraded = True
        run.meter.note(f"the answer is graph search's: {error.message}")
        return await fall_back(), ""
    except (ModelUnavailableError, BudgetExceededError) as error:
        run.meter.degraded = True
        return await fall_back(), _reason_to_stop(error, state, run)


def _reason_to_stop(error: HoptrailError, state: State, run: NodeRun) -> StopReason:
    """Return the kind of budget that is spent, or that the model is not available."""
    spent = total_usage(state["usage"])
    was_heard = spent.completion_tokens + run.meter.usage.completion_tokens > 0
    # Tries that nobody answered use up the calls: then the model is the reason, not the budget.
    if isinstance(error, BudgetExceededError) and (was_heard or spent.llm_calls == 0):
        return cast(StopReason, error.kind)
    return "model_unavailable"
