"""Runs set against each other, on hand-made rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.figures.comparison import ComparedMetric, Comparison, compare_runs
from hoptrail.eval.run_folder import LoadedRun


def make_run(
    system: str, scores: Mapping[str, Mapping[str, float | None]], /, **record: Any
) -> LoadedRun:
    rows = [
        {"id": id_, "gold": {"answers": ["yes"]}, "scores": of_row, "seconds": 0.5}
        for id_, of_row in scores.items()
    ]
    return LoadedRun({"system": system, "questions_sha256": "0", **record}, {}, rows)


def metric_of(comparison: Comparison, name: str) -> ComparedMetric:
    return next(metric for metric in comparison.metrics if metric.name == name)


BASE = {"a": {"em": 0.0}, "b": {"em": 1.0}, "c": {"em": 0.0}, "d": {"em": 0.0}}
BETTER = {"d": {"em": 1.0}, "a": {"em": 1.0}, "b": {"em": 0.0}, "c": {"em": 0.0}}


def test_rows_are_paired_by_id_not_by_place() -> None:
    found = metric_of(compare_runs([make_run("x", BASE), make_run("y", BETTER)]), "em")
    contrast = found.contrasts[1]
    assert contrast is not None
    assert (contrast.gained, contrast.lost) == (("a", "d"), ("b",))
    assert (contrast.higher, contrast.lower, contrast.equal) == (2, 1, 1)


def test_the_reader_of_each_run_is_told() -> None:
    runs = [make_run("x", BASE, reader="oracle"), make_run("y", BETTER)]
    assert compare_runs(runs).as_json()["readers"] == ("oracle", None)


def test_the_difference_is_that_of_the_means_to_the_first_run() -> None:
    found = metric_of(compare_runs([make_run("x", BASE), make_run("y", BETTER)]), "em")
    assert found.means == (0.25, 0.5)
    assert found.contrasts[0] is None
    assert found.contrasts[1] is not None
    assert found.contrasts[1].difference.mean == 0.25


def test_mcnemar_is_for_scores_of_right_and_wrong_only() -> None:
    runs = [
        make_run("x", {"a": {"em": 0.0, "f1": 0.5}}),
        make_run("y", {"a": {"em": 1.0, "f1": 1.0}}),
    ]
    comparison = compare_runs(runs)
    binary, graded = (metric_of(comparison, name).contrasts[1] for name in ("em", "f1"))
    assert binary is not None and binary.mcnemar is not None
    assert graded is not None and graded.mcnemar is None


def test_runs_over_parts_are_compared_on_the_common_questions() -> None:
    part = {id_: BETTER[id_] for id_ in ("a", "b")}
    comparison = compare_runs([make_run("x", BASE), make_run("y", part)])
    assert comparison.questions == ("a", "b")
    assert comparison.left_out == (2, 0)
    assert metric_of(comparison, "em").means == (0.5, 0.5)


def test_a_metric_covers_the_questions_that_all_runs_have_a_score_for() -> None:
    gap: dict[str, dict[str, float | None]] = {"d": {"em": None}}
    gap.update({id_: {**BETTER[id_]} for id_ in "abc"})
    found = metric_of(compare_runs([make_run("x", BASE), make_run("y", gap)]), "em")
    assert found.n == 3
    assert found.means == pytest.approx((1 / 3, 1 / 3))


def test_a_run_that_does_not_measure_a_metric_takes_nothing_from_the_others() -> None:
    retriever: dict[str, dict[str, None]] = {id_: {"em": None} for id_ in BASE}
    runs = [make_run("x", BASE), make_run("r", retriever), make_run("y", BETTER)]
    found = metric_of(compare_runs(runs), "em")
    assert found.means == (0.25, None, 0.5)
    assert found.contrasts[1] is None
    assert found.contrasts[2] is not None


def test_costs_are_compared_too() -> None:
    found = metric_of(compare_runs([make_run("x", BASE), make_run("y", BETTER)]), "seconds")
    assert found.means == (0.5, 0.5)


def test_other_questions_are_refused() -> None:
    runs = [make_run("x", BASE), make_run("y", BETTER, questions_sha256="1")]
    with pytest.raises(InputError, match="different questions"):
        compare_runs(runs)


def test_other_gold_is_refused() -> None:
    other = make_run("y", BETTER)
    other.rows[1]["gold"]["answers"] = ["no"]
    with pytest.raises(InputError, match="'a'"):
        compare_runs([make_run("x", BASE), other])


def test_runs_without_a_common_question_are_refused() -> None:
    with pytest.raises(InputError, match="no question in common"):
        compare_runs([make_run("x", BASE), make_run("y", {"z": {"em": 1.0}})])


def test_one_run_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to be compared with"):
        compare_runs([make_run("x", BASE)])


def test_the_record_is_plain_json() -> None:
    record = compare_runs([make_run("x", BASE), make_run("y", BETTER)]).as_json()
    assert json.loads(json.dumps(record))["metrics"][0]["contrasts"][1]["gained"] == ["a", "d"]
    assert (record["baseline"], record["n"]) == ("x", 4)
