"""Judge paths by the rules of their search (source 002, neighbourhood search)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

import numpy as np

from hoptrail.core.algorithms.path_similarity import path_similarities
from hoptrail.core.budget import Meter
from hoptrail.core.embedding import Embed
from hoptrail.core.errors import ModelError
from hoptrail.core.render import path_line
from hoptrail.core.types import Path, Record
from hoptrail.core.verdicts import Verdict, verdict_at
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.dotrag import PathVerdict, PathVerdicts
from hoptrail.prompts.loader import load_prompt

_LONGEST_QUESTION = 300


@dataclass(frozen=True, slots=True)
class Judgement(Record):
    """The verdict on one path, and for a partial one what to ask next."""

    verdict: Verdict
    confidence: float = 0.5
    next_question: str = ""
    degraded: bool = False


async def judge(
    question: str,
    rules: str,
    paths: Sequence[Path],
    model: RoleModel | None,
    meter: Meter,
    embed: Embed,
    *,
    prompts_dir: FilePath | None = None,
) -> list[Judgement]:
    """Return one judgement per path, in their order.

    A path that the model skips is judged by similarity; verdicts on paths that do not exist are
    left out, and of two on the same path the first one counts.

    Args:
        question: The standalone question.
        rules: What counts as intermediate and terminal evidence.
        paths: The batch.
        model: Model of the role `judge`.
        meter: Account of the call.
        embed: Unit vectors of texts, shape (n, dim).
        prompts_dir: Folder of prompts that override the shipped ones.

    Raises:
        BudgetExceededError: If a model is given and no call is left.
    """
    if not paths:
        return []
    if model is None:
        return await asyncio.to_thread(judge_by_similarity, question, paths, embed)
    lines = (f"[{number}] {path_line(path)[2:]}" for number, path in enumerate(paths, start=1))
    messages = load_prompt("judge_paths", prompts_dir).render(
        question=question, rules=rules, paths="\n".join(lines)
    )
    try:
        reply = await model.structured(messages, PathVerdicts, meter=meter)
    except ModelError:
        guesses = await asyncio.to_thread(judge_by_similarity, question, paths, embed)
        return [replace(guess, degraded=True) for guess in guesses]
    return await asyncio.to_thread(_in_order, reply.verdicts, question, paths, embed)


def judge_by_similarity(question: str, paths: Sequence[Path], embed: Embed) -> list[Judgement]:
    """Return verdicts by the similarity of each path to the question."""
    texts = list(dict.fromkeys(relation.text for path in paths for relation in path.relations))
    place = {text: number for number, text in enumerate(texts)}
    vectors = embed([question, *texts])
    places = [[place[relation.text] for relation in path.relations] for path in paths]
    scores = path_similarities(vectors[1:], places, vectors[0])
    return [_by_similarity(float(score)) for score in np.round(scores, 5)]


def _by_similarity(score: float) -> Judgement:
    return Judgement(verdict_at(score), max(0.0, score))


def _in_order(
    verdicts: Sequence[PathVerdict], question: str, paths: Sequence[Path], embed: Embed
) -> list[Judgement]:
    given = {verdict.path: verdict for verdict in reversed(verdicts)}
    skipped = [place for place in range(len(paths)) if place + 1 not in given]
    guesses = judge_by_similarity(question, [paths[i] for i in skipped], embed) if skipped else []
    by_place = dict(zip(skipped, guesses, strict=True))
    return [by_place.get(i) or _judgement(given[i + 1]) for i in range(len(paths))]


def _judgement(verdict: PathVerdict) -> Judgement:
    asked = " ".join(verdict.next_question.split())[:_LONGEST_QUESTION]
    is_partial = verdict.verdict == "partial"
    return Judgement(verdict.verdict, verdict.confidence, asked if is_partial else "")
