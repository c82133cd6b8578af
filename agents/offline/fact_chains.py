"""Answers at the end of chains of facts, from a thing that the question names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.evidence.claims import answer_text
from hoptrail.agents.evidence.sentence_graph import Fact, SentenceGraph
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.line_layout import labelled_parts
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.question_steps import QuestionStep, open_steps, steps_from
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.offline.step_solver import Candidate, StepSolver, claim_of
from hoptrail.agents.reading.asked_value import AskedValue, asked_value
from hoptrail.core.text import contains_answer, content_words
from hoptrail.core.types import AbstainReason
from hoptrail.core.types.draft import Draft, Pattern

MAX_ANCHORS = 4
MIN_WORDING = 0.2
MIN_SIMILARITY = 0.75
COVERAGE_WEIGHT = 2.0
OPEN_PENALTY = 0.5
# On 263 development questions no chain below this was right, and one in five above it.
MIN_WORTH = 2.0
_MOST_CHAINS = 6
_MOST_BEHIND = 0.3

BEAM = 6
CANDIDATES_PER_STEP = 5
_MERGE_PENALTY = 0.3
_POOR_WORDING = 0.2
_SURE_WORDING = 0.8


@dataclass(frozen=True, slots=True)
class _Found:
    chain: Chain
    anchor: Mention
    score: float


def follow_facts(
    question: str, anchors: Sequence[Mention], graph: SentenceGraph, solver: StepSolver
) -> tuple[list[Draft], Draft]:
    """Return the answers of the best chains that are of the asked kind, and the abstention.

    One much worse than the best is none. The abstention tells where the best chain came to an end.
    """
    if not anchors and (names := proper_names(question)):
        texts = [chunk.text for chunk in graph.index.chunks.values()]
        is_told = any(contains_answer(text, name) for text in texts for name in names)
        return [], abstain("no_evidence" if is_told else "not_in_knowledge_base")
    asked = asked_value(question)
    ranked = _ranked_chains(question, anchors, solver)
    likely: dict[str, Draft] = {}
    for found in ranked[:_MOST_CHAINS]:
        draft = _draft(question, found, graph)
        if draft.abstained:
            return list(likely.values()), draft
        last = found.chain.links[-1]
        start, end = last.mention.start, last.mention.end
        is_fit = asked.admits(draft.text) and not asked.excludes(start, end, last.fact.text)
        is_fit = is_fit and _tells_by_lines(found.chain, asked)
        if is_fit and found.score >= ranked[0].score - _MOST_BEHIND:
            likely.setdefault(draft.text, draft)
    return list(likely.values()), abstain("no_evidence")


def _tells_by_lines(found: Chain, asked: AskedValue) -> bool:
    """Return whether the lines and rows of a chain say what is asked of them.

    No step goes from a row to another cell of itself, and no chain ends in a row.
    """
    texts = [_source(link.fact) for link in found.links]
    if any(asked.excludes_line(text) for text in texts):
        return False
    rows = [text for text in texts if len(labelled_parts(text)) > 1]
    return len(set(rows)) == len(rows) and texts[-1] not in rows


def _source(fact: Fact) -> str:
    """Return the text that a fact was read from."""
    return fact.relation.description if fact.relation else fact.text


def _ranked_chains(question: str, anchors: Sequence[Mention], solver: StepSolver) -> list[_Found]:
    excluded = frozenset(mention.key for mention in anchors)
    asked = word_groups(question)
    found: list[_Found] = []
    for anchor in sorted(anchors, key=lambda mention: -len(mention.key))[:MAX_ANCHORS]:
        others = [mention for mention in anchors if mention is not anchor]
        steps = steps_from(question, anchor, others)
        chains = follow(steps, anchor, excluded, solver)
        if len(steps) == 1:
            plan = open_steps(question, anchor, others)
            named = word_groups(" ".join(mention.text for mention in anchors))
            walked = follow(plan, anchor, excluded, solver)
            chains += [chain for chain in walked if not _repeats(chain, asked - named)]
        found += [_Found(chain, anchor, _worth(chain, asked, solver)) for chain in chains]
    return sorted(found, key=lambda one: -round(one.score, 5))


def _repeats(chain: Chain, asked: frozenset[str]) -> bool:
    """Return whether each step tells the same of what is asked: who else studied there.

    A word of a question is told once.
    """
    told = [asked & word_groups(link.told) for link in chain.links]
    return len(told) > 1 and bool(told[0]) and all(one == told[0] for one in told)


def _worth(chain: Chain, asked: frozenset[str], solver: StepSolver) -> float:
    """Return how well a whole chain fits the question; one that ends too early is worth less."""
    if not chain.links:
        return -1.0
    told = " ".join(link.told for link in chain.links)
    worth = chain.mean + COVERAGE_WEIGHT * solver.text_coverage(asked, told)
    return worth - OPEN_PENALTY if chain.open else worth


def _draft(question: str, found: _Found, graph: SentenceGraph) -> Draft:
    links = found.chain.links
    origins = [found.anchor.key, *(link.mention.key for link in links)]
    hops = tuple(
        claim_of(origin, link, graph) for origin, link in zip(origins, links, strict=False)
    )
    weak = next((place for place, link in enumerate(links) if not _is_supported(link)), None)
    if weak is None and found.chain.open is None and _is_assured(found):
        answer = answer_text(question, links[-1].mention, graph)
        return Draft("graph_search", answers=(answer,), hops=hops, score=round(found.score, 5))
    place = len(links) - (found.chain.open is None) if weak is None else weak
    step = found.chain.open if place == len(links) else links[place].step
    words = [word for word in content_words(step.wording) if len(word) > 1] if step else []
    missing = Pattern(graph.name(origins[place]), " ".join(words), "?answer")
    return Draft(
        "graph_search",
        reason="unresolved_variable",
        hops=hops[:place],
        unresolved="?answer",
        missing=missing,
    )


def _is_assured(found: _Found) -> bool:
    """Return whether a chain says enough of what is asked, likeness of meaning not counted."""
    similarities = [link.similarity for link in found.chain.links]
    return found.score - sum(similarities) / max(1, len(similarities)) >= MIN_WORTH


def _is_supported(link: Candidate) -> bool:
    return link.wording >= MIN_WORDING or link.similarity >= MIN_SIMILARITY


def abstain(reason: AbstainReason) -> Draft:
    """Return a draft that gives no answer."""
    return Draft("graph_search", reason=reason)


@dataclass(frozen=True, slots=True)
class Chain:
    """Names found one after the other; `known` is the last one's key.

    `score` sums the scores of the `links`, less what merging steps cost. `pending` is a step that
    was skipped and is asked together with the next one; `open` is the step that found nothing.
    """

    known: str
    links: tuple[Candidate, ...] = ()
    score: float = 0.0
    pending: QuestionStep | None = None
    open: QuestionStep | None = None

    @property
    def mean(self) -> float:
        """Score per link."""
        return self.score / max(1, len(self.links))


def follow(
    steps: Sequence[QuestionStep], anchor: Mention, excluded: frozenset[str], solver: StepSolver
) -> list[Chain]:
    """Return the best chains from an entity through all steps, best first.

    Each step is also merged with the next, as it may find nothing, or another thing, because the
    text names no such thing ("the great telescope of the observatory"). The same is tried where a
    step found something that leads no further. A chain that ends before the last step is
    returned with the step at which it is `open`.
    """
    chains = [Chain(anchor.key)]
    stuck: list[Chain] = []
    for place, step in enumerate(steps):
        is_last = place == len(steps) - 1
        grown: list[Chain] = []
        for chain in chains:
            asked = _merged(chain.pending, step)
            longer = _extend(chain, asked, excluded, solver, is_last)
            if chain.links and all(_last_wording(found) < _POOR_WORDING for found in longer):
                shorter = _without_last(chain, anchor)
                both = _merged(chain.links[-1].step, asked)
                merged = _extend(shorter, both, excluded, solver, is_last)
                longer += [found for found in merged if _last_wording(found) >= _SURE_WORDING]
            grown += longer
            if not longer:
                stuck.append(replace(chain, open=asked))
            if not is_last:
                score = chain.score - _MERGE_PENALTY
                grown.append(replace(chain, pending=asked, score=score))
        chains = sorted(grown, key=_rank)[: 2 * BEAM if is_last else BEAM]
    return [*chains, *sorted(stuck, key=lambda chain: (-len(chain.links), *_rank(chain)))]


def _extend(
    chain: Chain, step: QuestionStep, excluded: frozenset[str], solver: StepSolver, is_last: bool
) -> list[Chain]:
    if chain.links and chain.links[-1].mention.kind == "number":  # "10" of one thing joins no other
        return []
    visited = excluded | {link.mention.key for link in chain.links}
    found = solver.candidates(step, chain.known, visited, CANDIDATES_PER_STEP, strict=is_last)
    return [
        Chain(link.mention.key, (*chain.links, link), chain.score + link.score) for link in found
    ]


def _last_wording(chain: Chain) -> float:
    return chain.links[-1].wording


def _without_last(chain: Chain, anchor: Mention) -> Chain:
    links = chain.links[:-1]
    known = links[-1].mention.key if links else anchor.key
    return Chain(known, links, chain.score - chain.links[-1].score - _MERGE_PENALTY)


def _merged(pending: QuestionStep | None, step: QuestionStep) -> QuestionStep:
    if pending is None:
        return step
    return QuestionStep(step.text.replace("{}", pending.text), step.noun, step.answer_type)


def _rank(chain: Chain) -> tuple[float, str]:
    return (-round(chain.mean, 5), chain.known)
