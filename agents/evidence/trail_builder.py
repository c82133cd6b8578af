"""Look for a trail where a model gave none: from the question's entities to the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.claims import claim_in
from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import Fact, SentenceGraph
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import HopClaim

MAX_HOPS = 3


@dataclass(frozen=True, slots=True)
class _Step:
    """How a name was reached: from which one, through which fact."""

    origin: str
    fact: Fact


def build_trail(
    question: str, answers: Sequence[str], index: EvidenceIndex
) -> tuple[HopClaim, ...]:
    """Return the claims of the shortest chain from the question's entities to the first answer.

    Each step is a relation or a sentence; the last one names the answer and shares wording with
    the question or names an entity that leads there. No such chain: no claims.
    """
    return next(_chains(question, answers, index), ())


def build_trails(
    question: str, answers: Sequence[str], index: EvidenceIndex
) -> tuple[HopClaim, ...]:
    """Return the claims of such a chain to every answer that has one; a shared claim stands once.

    Several answers are often ends of one relation, and each needs its own to be borne out.
    """
    chains = _chains(question, answers, index)
    return tuple(dict.fromkeys(claim for chain in chains for claim in chain))


def _chains(
    question: str, answers: Sequence[str], index: EvidenceIndex
) -> Iterator[tuple[HopClaim, ...]]:
    graph = SentenceGraph(index)
    seeds = list(dict.fromkeys(mention.key for mention in graph.link(question)))
    reached = _reach(seeds, graph)
    for answer in answers:
        chain = _chain_to(answer, question, reached, graph)
        if chain:
            yield chain


def _reach(seeds: Sequence[str], graph: SentenceGraph) -> dict[str, tuple[_Step, ...]]:
    """Return the steps to every name at most `MAX_HOPS - 1` facts away from a seed."""
    reached: dict[str, tuple[_Step, ...]] = {seed: () for seed in seeds}
    frontier = list(seeds)
    for _ in range(MAX_HOPS - 1):
        following: list[str] = []
        for origin in frontier:
            for fact in graph.facts_about(origin):
                for key in fact.keys:
                    if key not in reached:
                        reached[key] = (*reached[origin], _Step(origin, fact))
                        following.append(key)
        frontier = following
    return reached


def _chain_to(
    answer: str, question: str, reached: dict[str, tuple[_Step, ...]], graph: SentenceGraph
) -> tuple[HopClaim, ...]:
    asked = word_groups(question)
    best: tuple[int, int, tuple[HopClaim, ...]] | None = None
    for fact in graph.facts:
        if not _names(fact, answer):
            continue
        overlap = len(asked & word_groups(fact.text) - word_groups(answer))
        origin = _nearest_origin(fact, answer, reached, overlap)
        if origin is None:
            continue
        rank = (len(reached[origin]), -overlap)
        if best is None or rank < best[:2]:
            steps = (*reached[origin], _Step(origin, fact))
            best = (*rank, _claims(steps, answer, graph))
    return best[2] if best else ()


def _names(fact: Fact, answer: str) -> bool:
    key = name_key(answer)
    if fact.sentence is not None:
        return bool(key) and f" {key} " in fact.sentence.key
    return any(mention.key == key for mention in fact.mentions)


def _nearest_origin(
    fact: Fact, answer: str, reached: dict[str, tuple[_Step, ...]], overlap: int
) -> str | None:
    """Return the reached name that leads to the fact; by topic alone only with shared wording."""
    own = [mention.key for mention in fact.mentions]
    candidates = [*own, fact.topic] if overlap else own
    known = [key for key in candidates if key in reached and key != name_key(answer)]
    return min(known, key=lambda key: len(reached[key]), default=None)


def _claims(steps: Sequence[_Step], answer: str, graph: SentenceGraph) -> tuple[HopClaim, ...]:
    targets = [*(graph.name(step.origin) for step in steps[1:]), answer]
    return tuple(
        claim_in(step.fact, step.origin, _locate(target, step.fact), target, graph)
        for step, target in zip(steps, targets, strict=True)
    )


def _locate(name: str, fact: Fact) -> Mention:
    key = name_key(name)
    for mention in fact.mentions:
        if mention.key == key:
            return mention
    found = re.search(re.escape(name), fact.text, re.IGNORECASE)
    start, end = found.span() if found else (0, 0)
    return Mention(key, name, start, end, "name")
