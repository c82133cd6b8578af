from __future__ import annotations

import pytest

from hoptrail.eval.planted.claim import PassageClaim, PlantedClaim
from hoptrail.eval.planted.marker import Mark
from hoptrail.eval.planted.measure import mark_all, summarize
from tests.unit.eval.planted.garden import BORN, DIRECTED


def test_marks_are_counted_by_kind() -> None:
    def marker(claim: PassageClaim) -> Mark:
        return "stated" if claim.object == "Ada Koss" else "partly"

    planted = [PlantedClaim("true", DIRECTED), PlantedClaim("true", BORN)]
    planted.append(PlantedClaim("swapped", BORN))
    kinds = summarize(mark_all(planted, marker))
    assert list(kinds) == ["true", "swapped"]
    true = kinds["true"]
    assert (true.n, true.stated, true.partly, true.none, true.stated_rate) == (2, 1, 1, 0, 0.5)


def test_interval_is_wilsons() -> None:
    planted = [PlantedClaim("true", BORN)] * 100
    marks = iter(["stated"] * 3 + ["none"] * 97)
    result = summarize(mark_all(planted, lambda _: next(marks)))["true"]  # type: ignore[arg-type]
    assert result.ci95 == pytest.approx((0.0103, 0.0845), abs=1e-4)


def test_row_is_flat() -> None:
    row = next(mark_all([PlantedClaim("true", BORN)], lambda _: "none")).as_row()
    assert (row["kind"], row["support"], row["object"]) == ("true", "none", "4 May 1902")
