"""The contribution of one batch of reports to an answer about the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.core.types import Record


@dataclass(frozen=True, slots=True)
class PartialAnswer(Record):
    """One claim, how helpful it is (1 to 100), and the numbers of the reports it rests on."""

    text: str
    helpfulness: int
    reports: tuple[int, ...]


def ranked(answers: Sequence[PartialAnswer]) -> list[PartialAnswer]:
    """Return the claims, the most helpful first, each text once, whatever order they came in."""
    best: dict[str, PartialAnswer] = {}
    for answer in sorted(answers, key=lambda one: (-one.helpfulness, one.reports, one.text)):
        best.setdefault(answer.text, answer)
    return list(best.values())
