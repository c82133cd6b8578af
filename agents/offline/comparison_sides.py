"""The two sides of a comparison: what is compared, and what is told about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.question_steps import QuestionStep
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.offline.step_solver import Candidate, StepSolver, claim_of
from hoptrail.core.text import content_words
from hoptrail.core.types.draft import Draft, HopClaim, Pattern

TRUE_WORDING = 0.5
"""Share of the asked words that a fact must have to count as saying so."""

_MAKERS = (
    r"director|author|writer|performer|composer|producer|singer|founder|creator|publisher|"
    r"designer|architect|owner|screenwriter|editor"
)
_VIA = re.compile(
    rf"\bwhose\s+(?:the\s+)?(?P<a>{_MAKERS})s?\b|\b(?:has|have|had|with)\s+(?:an?|the)\s+"
    rf"(?P<b>{_MAKERS})s?\b|\b(?P<c>{_MAKERS})s?\s+of\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things compared, or what was reached from it, with the links that led there."""

    thing: Mention
    key: str
    links: tuple[tuple[str, Candidate], ...] = ()


def reach(question: str, thing: Mention, solver: StepSolver) -> Side | QuestionStep:
    """Return the thing that has the property; the step to it where the evidence lacks it."""
    match = _VIA.search(question)
    if match is None:
        return Side(thing, thing.key)
    noun = next(filter(None, match.groups())).lower()
    step = QuestionStep(f"the {noun} of {{}}", noun, "person")
    found = solver.candidates(step, thing.key, frozenset(), 1, strict=True)
    if not found or found[0].wording < TRUE_WORDING:
        return step
    return Side(thing, found[0].mention.key, ((thing.key, found[0]),))


def best_fact(
    key: str, wanted: frozenset[str], graph: SentenceGraph, solver: StepSolver
) -> tuple[float, HopClaim | None]:
    """Return the sentence about a thing that has most of the wanted word groups, and how many."""
    best: tuple[float, HopClaim | None] = (0.0, None)
    for fact in graph.facts_about(key):
        score = solver.coverage(wanted, fact)
        if score <= best[0] + 1e-5 or fact.sentence is None:
            continue
        told = next(
            (
                match
                for match in re.finditer(r"\w+", fact.text)
                if word_groups(match.group()) & wanted and is_asserted(fact.text, *match.span())
            ),
            None,
        )
        if told:
            best = (score, HopClaim(graph.name(key), "", told.group(), fact.sentence.chunk.id))
    return best


def wording_besides(
    question: str, sides: Sequence[Side], drop: re.Pattern[str] | None = None
) -> str:
    """Return the words of a comparison without the things compared and the way to them."""
    text = question
    for side in sorted(sides, key=lambda side: -side.thing.start):
        text = text[: side.thing.start] + " " + text[side.thing.end :]
    if any(side.links for side in sides):
        text = _VIA.sub(" ", text)
    text = re.sub(r"\b(?:same|both|also|either|films?)\b", " ", text)
    text = drop.sub(" ", text) if drop else text
    return " ".join(text.strip(" ?").split())


def claims_of(links: Sequence[tuple[str, Candidate]], graph: SentenceGraph) -> list[HopClaim]:
    """Return links with the keys that they start from as claims."""
    return [claim_of(origin, link, graph) for origin, link in links]


def draft_of(
    answer: str, sides: Sequence[Side], links: Sequence[Candidate], graph: SentenceGraph
) -> Draft:
    """Return an answer that rests on one link of each side."""
    hops: list[HopClaim] = []
    for side, link in zip(sides, links, strict=True):
        hops += claims_of([*side.links, (side.key, link)], graph)
    return Draft("graph_search", answers=(answer,), hops=tuple(hops), derived=True)


def missing_property(key: str, wording: str, graph: SentenceGraph) -> Draft:
    """Return an abstention for want of a property of one side."""
    return Draft(
        "graph_search",
        reason="unresolved_variable",
        unresolved="?value",
        missing=Pattern(graph.name(key), " ".join(dict.fromkeys(content_words(wording))), "?value"),
    )
