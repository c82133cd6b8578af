"""Follow the steps of a question from name to name, keeping the few best chains at each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.question_steps import QuestionStep
from hoptrail.agents.offline.step_solver import Candidate, StepSolver

BEAM = 6
CANDIDATES_PER_STEP = 5
_MERGE_PENALTY = 0.3
_GOOD_WORDING = 0.5
_POOR_WORDING = 0.2
_SURE_WORDING = 0.8


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

    A step may find nothing because the text names no such thing ("the great telescope of the
    observatory"); then it is merged with the next. The same is tried where a step found something
    that leads no further. A chain that ends before the last step is
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
            if not is_last and _is_doubtful(longer):
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


def _is_doubtful(chains: Sequence[Chain]) -> bool:
    return all(_last_wording(chain) < _GOOD_WORDING for chain in chains)


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
