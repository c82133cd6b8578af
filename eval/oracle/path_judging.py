"""Judge the numbered paths of a prompt by the gold answers and relation paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hoptrail.core.algorithms.path_verdicts import Verdict
from hoptrail.core.text import contains_answer, name_key
from hoptrail.eval.oracle.graph_walks import shown_walks_along, topics_in
from hoptrail.eval.oracle.noise import Noise
from hoptrail.eval.oracle.planning import step_text
from hoptrail.eval.oracle.supports import step_answers
from hoptrail.eval.oracle.triples import Triple, parse_path
from hoptrail.eval.questions.question import Question
from hoptrail.prompts.forms.dotrag import PathVerdict, PathVerdicts

_NUMBERED = re.compile(r"^\[(\d+)\] (.+ \| .+ \| .+)$", re.MULTILINE)
_VERDICTS: tuple[Verdict, ...] = ("complete", "partial", "irrelevant")


def judge_paths(question: Question, prompt: str, noise: Noise) -> PathVerdicts:
    """Return a verdict on each line `[3] subject | predicate | object -> ...` that helps."""
    paths = {int(number): parse_path(line) for number, line in _NUMBERED.findall(prompt)}
    judged = (
        _as_reply(number, _judge(question, path, noise), question, path)
        for number, path in paths.items()
        if path
    )
    return PathVerdicts(verdicts=[one for one in judged if one.verdict != "irrelevant"])


def verdict_on(question: Question, path: Sequence[Triple]) -> Verdict:
    """Return `complete` for a path that reaches a gold answer, along a gold path if one is known.

    `partial` is a proper prefix of a gold path, or a path that holds an intermediate gold answer.
    """
    if question.is_unanswerable:
        return "irrelevant"
    if _is_complete(question, path):
        return "complete"
    holds_intermediate = any(_held_steps(question, path))
    return "partial" if _is_prefix(question, path) or holds_intermediate else "irrelevant"


def _judge(question: Question, path: Sequence[Triple], noise: Noise) -> Verdict:
    verdict = verdict_on(question, path)
    decision = ("judge", question.id, *path)
    if not noise.flips(*decision):
        return verdict
    return noise.choose([other for other in _VERDICTS if other != verdict], *decision)


def _is_complete(question: Question, path: Sequence[Triple]) -> bool:
    if question.relation_paths:
        starts = topics_in(question, path)
        walks = (
            shown_walks_along(relations, starts, path) for relations in question.relation_paths
        )
        accepted = [f" {name_key(form)} " for form in question.accepted]
        keys = (f" {key} " for reached in walks for key in reached)
        return any(form in key for key in keys for form in accepted)
    # What the question names itself is where a path starts, not what it reaches.
    return not question.is_yes_no and any(
        _names(end, question.accepted) and not contains_answer(question.text, end)
        for triple in path
        for end in _ends(triple)
    )


def _is_prefix(question: Question, path: Sequence[Triple]) -> bool:
    starts = topics_in(question, path)
    return any(
        len(path) < len(relations)
        and any(
            len(set(walk)) == len(path)
            for walk in shown_walks_along(relations[: len(path)], starts, path).values()
        )
        for relations in question.relation_paths
    )


def _held_steps(question: Question, path: Sequence[Triple]) -> Iterable[bool]:
    """Return for each step but the last whether the path names its answer."""
    return [
        any(_names(end, step_answers(question, step)) for triple in path for end in _ends(triple))
        for step in range(len(question.steps) - 1)
    ]


def _ends(triple: Triple) -> tuple[str, str]:
    return triple.subject, triple.object


def _names(name: str, forms: Sequence[str]) -> bool:
    return any(contains_answer(name, form) for form in forms)


def _as_reply(
    number: int, verdict: Verdict, question: Question, path: Sequence[Triple]
) -> PathVerdict:
    return PathVerdict(
        path=number,
        verdict=verdict,
        confidence=1.0,
        next_question=_next_question(question, path) if verdict == "partial" else "",
    )


def _next_question(question: Question, path: Sequence[Triple]) -> str:
    """Return the step after the last one that the path answers, else the question."""
    if not question.steps:
        return question.text
    held = {
        step: question.steps[step].answer
        for step, is_held in enumerate(_held_steps(question, path))
        if is_held
    }
    return step_text(question, max(held, default=-1) + 1, held)
