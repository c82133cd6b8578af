from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from hoptrail.cli.app import build_app
from tests.unit.eval.planted.garden import CLAIMS


def run(tmp_path: Path, *options: str) -> str:
    source = tmp_path / "claims.jsonl"
    source.write_text("".join(json.dumps(one.to_json()) + "\n" for one in CLAIMS), "utf-8")
    result = CliRunner().invoke(build_app(), ["eval-marks", str(source), *options])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_has_the_marks_by_kind(tmp_path: Path) -> None:
    report = json.loads(run(tmp_path, "--json", "--per-kind", "2", "--seed", "5"))
    assert report["claims"] == len(CLAIMS)
    assert report["seed"] == 5
    assert report["kinds"]["true"]["n"] == 2
    assert set(report["kinds"]["true"]) == {
        "n",
        "stated",
        "partly",
        "none",
        "stated_rate",
        "ci95",
    }


def test_table_has_a_line_for_each_kind(tmp_path: Path) -> None:
    shown = run(tmp_path)
    assert "true" in shown
    assert "wrong_passage" in shown
    assert "drawn from 6 true claims" in shown
