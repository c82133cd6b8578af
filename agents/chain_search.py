"""Follow the steps of a question from name to name, keeping the few best chains at each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.mentions import Mention
from hoptrail.agents.question_steps import Step
from hoptrail.agents.step_solver import Candidate, StepSolver

BEAM = 6
CANDIDATES_PER_STEP = 5
_MERGE_PENALTY = 0.1


@dataclass(frozen=True, slots=True)
class Chain:
    """Names found one after the other; `known` is the last one's key.

    `score` sums the scores of the `links`, less what merging steps cost. `pending` is a step that
    was skipped and is asked together with the next one.
    """

    known: str
    links: tuple[Candidate, ...] = ()
    score: float = 0.0
    pending: Step | None = None

    @property
    def mean(self) -> float:
        """Score per link."""
        return self.score / max(1, len(self.links))

    @property
    def weakest_wording(self) -> float:
        """The lowest share of a step's words that its fact has."""
        return min((link.wording for link in self.links), default=0.0)


def follow(
    steps: Sequence[Step], anchor: Mention, excluded: frozenset[str], solver: StepSolver
) -> list[Chain]:
    """Return the best chains from an entity through all steps, best first.

    A step may find nothing because the text names no such thing ("the great telescope of the
    observatory"); so each step can also be merged with the next.
    """
    chains = [Chain(anchor.key)]
    for place, step in enumerate(steps):
        is_last = place == len(steps) - 1
        grown: list[Chain] = []
        for chain in chains:
            asked = _merged(chain.pending, step)
            grown.extend(_extend(chain, asked, excluded, solver))
            if not is_last:
                cost = _MERGE_PENALTY
                grown.append(replace(chain, pending=asked, score=chain.score - cost))
        chains = sorted(grown, key=_rank)[: BEAM if not is_last else 2 * BEAM]
    return [chain for chain in chains if chain.links]


def _extend(chain: Chain, step: Step, excluded: frozenset[str], solver: StepSolver) -> list[Chain]:
    visited = excluded | {link.mention.key for link in chain.links}
    return [
        Chain(found.mention.key, (*chain.links, found), chain.score + found.score)
        for found in solver.candidates(step, chain.known, visited, CANDIDATES_PER_STEP)
    ]


def _merged(pending: Step | None, step: Step) -> Step:
    if pending is None:
        return step
    return Step(step.text.replace("{}", pending.text), step.noun, step.answer_type)


def _rank(chain: Chain) -> tuple[float, str]:
    return (-round(chain.mean, 5), chain.known)
