from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.planted.evaluation import evaluate_marks
from hoptrail.eval.planted.sources import load_claims
from tests.unit.eval.planted.garden import CLAIMS


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
