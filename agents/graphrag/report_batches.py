"""Which reports are read together, and how they are laid out for their reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from hoptrail.core.render import report_block
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import Community


def batch_reports(
    reports: Sequence[Community],
    budget: int,
    *,
    seed: int,
    count: TokenCounter = estimate_tokens,
) -> list[dict[int, Community]]:
    """Return the reports by their number (from 1) in batches that fit the budget.

    They are dealt out in shuffled order, so that no batch holds one subject alone (Edge et al.,
    "From local to global", 2024, section 3.1.6), each to the batch with the most room, so that none
    is nearly empty; within a batch the numbers rise.

    Args:
        reports: Report i bears the number i + 1.
        budget: Tokens of a batch; a report that is longer has a batch to itself.
        seed: Of the shuffled order.
        count: Token counter of the model that will read them.
    """
    tokens = {
        number: count(numbered_report(number, report, budget, count))
        for number, report in enumerate(reports, 1)
    }
    numbers = list(tokens)
    Random(seed).shuffle(numbers)
    batches: list[list[int]] | None = None
    size = -(-sum(tokens.values()) // budget)
    while batches is None:
        batches = _dealt(numbers, tokens, size, budget)
        size += 1
    return [{number: reports[number - 1] for number in sorted(batch)} for batch in batches if batch]


def lay_out_reports(
    batch: Mapping[int, Community], budget: int, count: TokenCounter = estimate_tokens
) -> str:
    """Return a batch as the text of a prompt; no report takes more than the budget."""
    return "\n\n".join(
        numbered_report(number, report, budget, count) for number, report in batch.items()
    )


def numbered_report(
    number: int, report: Community, budget: int, count: TokenCounter = estimate_tokens
) -> str:
    """Return a report under its number."""
    return f"[{number}] {report_block(report, budget, count).removeprefix('- ')}"


def _dealt(
    numbers: Sequence[int], tokens: Mapping[int, int], size: int, budget: int
) -> list[list[int]] | None:
    """Return the numbers in batches, each put where most room is; None where one does not fit."""
    batches: list[list[int]] = [[] for _ in range(size)]
    room = [budget] * size
    for number in numbers:
        place = max(range(size), key=room.__getitem__)
        if batches[place] and tokens[number] > room[place]:
            return None
        batches[place].append(number)
        room[place] -= tokens[number]
    return batches
