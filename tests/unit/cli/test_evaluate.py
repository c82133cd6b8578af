from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from typer.testing import CliRunner

from hoptrail.cli.app import build_app
from hoptrail.cli.evaluate import describe_failures, show_summary
from tests.unit.eval.planted.garden import CLAIMS


def test_figures_that_were_not_measured_are_left_out() -> None:
    stream = io.StringIO()
    summary = {
        "n": 100,
        "recall@5": 0.7123,
        "f1": None,
        "errors": {"correct": 0.75, "abstained": 0.25},
        "by_type": {"bridge": {"n": 60}},
        "ci95": {"recall@5": (0.65, 0.77), "f1": None},
    }
    show_summary(summary, Console(file=stream, width=100))
    lines = [line.split() for line in stream.getvalue().splitlines()]
    assert lines == [
        ["n", "100"],
        ["recall@5", "0.712", "0.650", "to", "0.770"],
        ["errors:", "correct", "0.750"],
        ["errors:", "abstained", "0.250"],
    ]


def test_a_run_without_a_ranking_says_that_recall_is_not_scored() -> None:
    stream = io.StringIO()
    summary = {"n": 2, "recall@2": None, "recall@5": None, "accuracy": 1.0}
    show_summary(summary, Console(file=stream, width=100))
    lines = [" ".join(line.split()) for line in stream.getvalue().splitlines()]
    assert lines == ["n 2", "recall not scored", "accuracy 1.000"]


def test_failures_are_counted_and_the_first_one_is_explained() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "q1", "failure": None},
        {"id": "q2", "failure": {"code": "model", "message": "the server\nis down"}},
    ]
    assert describe_failures(rows) == "1 of 2 questions failed, q2 first: the server is down"


def test_figures_of_the_oracle_are_told_from_those_of_a_model() -> None:
    stream = io.StringIO()
    show_summary({"reader": "oracle", "n": 2}, Console(file=stream, width=100))
    first, *_, last = stream.getvalue().splitlines()
    assert first.split() == ["reader", "oracle"]
    assert last == "the oracle answers from gold: its figures are no model's"


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
