"""Whether two named things share a property, without a model: answers yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.answer_types import singular, type_of_noun
from hoptrail.agents.language.question_steps import QuestionStep
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.offline.comparison_sides import (
    TRUE_WORDING,
    Side,
    best_fact,
    claims_of,
    draft_of,
    missing_property,
    wording_besides,
)
from hoptrail.agents.offline.step_solver import Candidate, StepSolver
from hoptrail.core.types.draft import Draft, HopClaim

_LEAST_WORDING = 0.3
_SAME = re.compile(r"\bthe\s+same\s+(?P<noun>[\w-]+)", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|also)\b", re.IGNORECASE)
_NATIONALITY = re.compile(r"\b(?:is|was)\s+an?\s+((?:[A-Z][\w-]+[\s-]*)+)(?=\s*[a-z])")


def compare_sameness(
    question: str, sides: Sequence[Side], graph: SentenceGraph, solver: StepSolver
) -> Draft | None:
    """Return yes or no to "the same ..." and "both ...", None to another wording."""
    same = _SAME.search(question)
    if same and singular(same["noun"].lower()) == "nationality":
        return _same_nationality(sides, graph)
    if same:
        return _same(question, same["noun"], sides, graph, solver)
    return _both(question, sides, graph, solver) if _BOTH.search(question) else None


def _same(
    question: str,
    noun: str,
    sides: Sequence[Side],
    graph: SentenceGraph,
    solver: StepSolver,
) -> Draft:
    head = singular(noun.lower())
    wording = wording_besides(question, sides)
    step = QuestionStep(f"{{}} {wording}", head, type_of_noun(head) or "other")
    excluded = frozenset(side.key for side in sides)
    links: list[Candidate] = []
    for side in sides:
        found = solver.candidates(step, side.key, excluded, 1, strict=True)
        if not found or found[0].wording < _LEAST_WORDING:
            return missing_property(side.key, wording, graph)
        links += found
    answer = "yes" if links[0].mention.key == links[1].mention.key else "no"
    return draft_of(answer, sides, links, graph)


def _same_nationality(sides: Sequence[Side], graph: SentenceGraph) -> Draft:
    claims: list[HopClaim] = []
    for side in sides:
        found = _nationality(side.key, graph)
        if found is None:
            return missing_property(side.key, "nationality", graph)
        claims += [*claims_of(side.links, graph), found]
    nationalities = [claim.object.split() for claim in claims if claim.predicate == "is"]
    answer = "yes" if set(nationalities[0]) & set(nationalities[1]) else "no"
    return Draft("graph_search", (answer,), hops=tuple(claims), derived=True)


def _nationality(key: str, graph: SentenceGraph) -> HopClaim | None:
    for fact in graph.facts_about(key):
        match = _NATIONALITY.search(fact.text) if fact.topic == key else None
        if match and fact.sentence is not None:
            return HopClaim(
                graph.name(key), "is", match.group(1).strip(" -"), fact.sentence.chunk.id
            )
    return None


def _both(
    question: str, sides: Sequence[Side], graph: SentenceGraph, solver: StepSolver
) -> Draft | None:
    wanted = word_groups(wording_besides(question, sides))
    if not wanted:
        return None
    claims: list[HopClaim] = []
    holds = True
    for side in sides:
        score, claim = best_fact(side.key, wanted, graph, solver)
        if claim is None:
            return Draft("graph_search", reason="no_evidence")
        claims += [*claims_of(side.links, graph), claim]
        holds = holds and score >= TRUE_WORDING
    return Draft("graph_search", ("yes" if holds else "no",), hops=tuple(claims), derived=True)
