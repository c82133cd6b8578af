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
    "From local to global", 2024, section 3.1.6); within a batch the numbers rise.

    Args:
        reports: Report i bears the number i + 1.
        budget: Tokens of a batch; a report that is longer has a batch to itself.
        seed: Of the shuffled order.
        count: Token counter of the model that will read them.
    """
    numbers = list(range(1, len(reports) + 1))
    Random(seed).shuffle(numbers)
    batches: list[dict[int, Community]] = []
    room = 0
    for number in numbers:
        report = reports[number - 1]
        tokens = count(numbered_report(number, report, budget, count))
        if not batches or tokens > room:
            batches.append({})
            room = budget
        batches[-1][number] = report
        room -= tokens
    return [dict(sorted(batch.items())) for batch in batches]


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
