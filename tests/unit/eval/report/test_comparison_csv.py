"""A comparison as CSV."""

from __future__ import annotations

import csv

from hoptrail.eval.figures.comparison import compare_runs
from hoptrail.eval.report.comparison_csv import comparison_csv
from tests.unit.eval.report.runs import make_row, make_run


def lines(metric: str) -> list[dict[str, str]]:
    better = [make_row(number, scores={"recall@5": 1.0}) for number in (1, 2)]
    runs = [
        make_run("retriever:ket", [make_row(1, scores={"recall@5": 0.0}), make_row(2)]),
        make_run("retriever:bm25, k 5", better),
    ]
    text = comparison_csv(compare_runs(runs))
    return [line for line in csv.DictReader(text.splitlines()) if line["metric"] == metric]


def test_each_run_has_a_line_per_metric_with_its_difference_to_the_baseline() -> None:
    baseline, other = lines("recall@5")

    assert (baseline["run"], baseline["n"], baseline["mean"]) == ("retriever:ket", "1", "0.0")
    assert (other["run"], other["mean"]) == ("retriever:bm25, k 5", "1.0")
    assert (other["difference"], other["low"], other["high"]) == ("1.0", "1.0", "1.0")
    assert float(other["mcnemar_p"]) == 1.0


def test_the_baseline_has_no_difference() -> None:
    assert [lines("recall@5")[0][name] for name in ("difference", "low", "p")] == ["", "", ""]
