from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.planted.claim import PassageClaim, PlantedClaim
from hoptrail.eval.planted.evaluation import (
    Mark,
    evaluate_marks,
    mark_all,
    mark_as_trail,
    summarize,
)
from hoptrail.eval.planted.sources import load_claims
from tests.unit.eval.planted.garden import BORN, CLAIMS, DIRECTED


def test_folder_holds_claims_rows_and_summary(tmp_path: Path) -> None:
    source = tmp_path / "claims.jsonl"
    source.write_text("".join(json.dumps(one.to_json()) + "\n" for one in CLAIMS), "utf-8")
    report = evaluate_marks(source, "claims", per_kind=3, seed=1, out=tmp_path / "out")
    assert load_claims(tmp_path / "out" / "claims.jsonl", "claims") == list(CLAIMS)
    rows = [
        json.loads(line)
        for line in (tmp_path / "out" / "rows.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(rows) == sum(result.n for result in report.kinds.values())
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == report.to_json()


def test_source_without_claims_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InputError, match="no claims"):
        evaluate_marks(tmp_path / "empty.jsonl", "claims", per_kind=3, seed=1)


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


def test_mark_is_that_of_a_trail() -> None:
    assert mark_as_trail(DIRECTED) == "stated"
    assert mark_as_trail(replace(DIRECTED, object="Ida Holm")) == "none"
