"""Judge paths by the rules of their search (DotRAG, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.core.algorithms.path_verdicts import Verdict, path_similarities, verdict_at
from hoptrail.core.embedding import Embed
from hoptrail.core.render import path_line
from hoptrail.core.types import Path, Record
from hoptrail.prompts.forms.dotrag import PathVerdict, PathVerdicts

_LONGEST_QUESTION = 300


@dataclass(frozen=True, slots=True)
class JudgedPath(Record):
    """The verdict on one path, and for a partial one what to ask next."""

    verdict: Verdict
    confidence: float = 0.5
    next_question: str = ""


_IRRELEVANT = JudgedPath("irrelevant")


async def judge(
    question: str, rules: str, paths: Sequence[Path], model: PromptedModel | None, embed: Embed
) -> list[JudgedPath]:
    """Return one judgement per path, in their order.

    The model names the paths that help; one that it leaves out is irrelevant. Verdicts on paths
    that do not exist are left out, and of two on the same path the first one counts.

    Args:
        question: The standalone question.
        rules: Intermediate and terminal evidence, as a judge reads it.
        paths: The batch.
        model: Model of the role `judge`; without one paths are judged by similarity.
        embed: Unit vectors of texts, shape (n, dim).
    """
    if not paths:
        return []

    async def ask(model: PromptedModel) -> list[JudgedPath]:
        lines = (f"[{number}] {path_line(path)[2:]}" for number, path in enumerate(paths, start=1))
        reply = await model.structured(
            "judge_paths", PathVerdicts, question=question, rules=rules, paths="\n".join(lines)
        )
        given = {verdict.path: _judgement(verdict) for verdict in reversed(reply.verdicts)}
        return [given.get(place, _IRRELEVANT) for place in range(1, len(paths) + 1)]

    return await decide(model, ask, lambda: judge_by_similarity(question, paths, embed))


def judge_by_similarity(question: str, paths: Sequence[Path], embed: Embed) -> list[JudgedPath]:
    """Return verdicts by the similarity of each path to the question."""
    texts = list(dict.fromkeys(relation.text for path in paths for relation in path.relations))
    place = {text: number for number, text in enumerate(texts)}
    vectors = embed([question, *texts])
    places = [[place[relation.text] for relation in path.relations] for path in paths]
    scores = path_similarities(vectors[1:], places, vectors[0])
    return [_by_similarity(float(score)) for score in np.round(scores, 5)]


def _by_similarity(score: float) -> JudgedPath:
    return JudgedPath(verdict_at(score), max(0.0, score))


def _judgement(verdict: PathVerdict) -> JudgedPath:
    asked = " ".join(verdict.next_question.split())[:_LONGEST_QUESTION]
    is_partial = verdict.verdict == "partial"
    return JudgedPath(verdict.verdict, verdict.confidence, asked if is_partial else "")
