"""Mark planted claims, and count by kind how often the mark is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hoptrail.core.types import JsonDict, Record
from hoptrail.eval.planted.claim import KINDS, Kind, PlantedClaim
from hoptrail.eval.planted.marker import Mark, Marker


@dataclass(frozen=True, slots=True)
class MarkedClaim(Record):
    """A planted claim and the mark that it was given."""

    planted: PlantedClaim
    support: Mark

    def as_row(self) -> JsonDict:
        """Return kind, mark and claim as one flat JSON object."""
        kind, *claim = self.planted.as_row().items()
        return dict((kind, ("support", self.support), *claim))


@dataclass(frozen=True, slots=True)
class KindResult(Record):
    """The marks of one kind of claims.

    `stated_rate` is the share marked as stated, an error for every kind but `true`; `ci95` its
    Wilson interval (Wilson 1927).
    """

    n: int
    stated: int
    partly: int
    none: int
    stated_rate: float
    ci95: tuple[float, float]


def mark_all(planted: Iterable[PlantedClaim], marker: Marker) -> Iterator[MarkedClaim]:
    """Yield every claim with its mark."""
    for one in planted:
        yield MarkedClaim(one, marker(one.claim))


def summarize(marked: Iterable[MarkedClaim]) -> dict[Kind, KindResult]:
    """Return the marks by kind, in the order of the kinds; a kind without claims is left out."""
    counts: dict[Kind, Counter[Mark]] = {kind: Counter() for kind in KINDS}
    for one in marked:
        counts[one.planted.kind][one.support] += 1
    return {kind: _result(marks) for kind, marks in counts.items() if marks}


def _result(marks: Counter[Mark]) -> KindResult:
    from scipy.stats import binomtest

    n, stated = marks.total(), marks["stated"]
    interval = binomtest(stated, n).proportion_ci(method="wilson")
    bounds = float(interval.low), float(interval.high)
    return KindResult(n, stated, marks["partly"], marks["none"], stated / n, bounds)
