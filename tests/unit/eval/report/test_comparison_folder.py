"""The folder of a comparison."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

from hoptrail.eval.figures.comparison import compare_runs
from hoptrail.eval.report.comparison_folder import comparison_csv, figure_files, write_comparison
from hoptrail.eval.run_folder import LoadedRun
from tests.unit.eval.report.page_reader import PageReader
from tests.unit.eval.report.runs import make_row, make_run

NAMES = ("ket & co", "bm25")


def test_every_figure_of_the_page_is_about_the_common_questions(tmp_path: Path) -> None:
    rows = [make_row(1, scores={"recall@5": 1.0}), make_row(2, scores={"recall@5": 0.0})]
    runs = [make_run("retriever:ket", rows), make_run("retriever:bm25", rows[:1])]
    write_comparison(tmp_path / "new", runs, compare_runs(runs))
    page = PageReader((tmp_path / "new" / "report.html").read_text(encoding="utf-8"))
    figures_row = next(row for row in page.rows if row[0] == "questions")
    assert figures_row[1:3] == ["1", "1"]
    figures = json.loads((tmp_path / "new" / "comparison.json").read_text(encoding="utf-8"))
    assert figures["left_out"] == [1, 0]


def test_what_only_one_run_measures_has_no_difference(tmp_path: Path) -> None:
    runs = [
        make_run("retriever:ket", [make_row(1, scores={"recall@5": 1.0, "density": 0.5})]),
        make_run("retriever:bm25", [make_row(1, scores={"recall@5": 1.0})]),
    ]
    write_comparison(tmp_path, runs, compare_runs(runs))
    page = PageReader((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert [len(row) for row in page.rows if row[0] == "density"] == [4]


def test_the_names_of_the_files_are_those_that_are_there(tmp_path: Path) -> None:
    rows = [make_row(1, context="some words", scores={"coverage": 1.0})]
    costly = [make_run("retriever:ket", rows), make_run("retriever:bm25", rows)]
    free = [make_run("retriever:ket", [make_row(1)]), make_run("retriever:bm25", [make_row(1)])]

    first = write_comparison(tmp_path, costly, compare_runs(costly))
    assert sorted(first) == sorted(path.name for path in tmp_path.iterdir())
    assert "costs.svg" in first

    second = write_comparison(tmp_path, free, compare_runs(free))
    assert sorted(second) == sorted(path.name for path in tmp_path.iterdir())
    assert "costs.svg" not in second


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


def two_runs(**fields: object) -> list[LoadedRun]:
    rows = [make_row(1, scores={"coverage": 1.0, "recall@5": 0.5}, **fields)]
    return [make_run("retriever:ket", rows), make_run("retriever:bm25", rows)]


def elements(text: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def test_each_chart_is_a_file_that_needs_no_style_sheet() -> None:
    files = figure_files(NAMES, two_runs(context="some words"))

    assert list(files) == ["metrics.svg", "outcomes.svg", "costs.svg"]
    for text in files.values():
        assert "class=" not in text
        assert "var(" not in text


def test_bars_have_the_colours_of_their_runs_in_the_legend() -> None:
    text = figure_files(NAMES, two_runs())["metrics.svg"]

    fills = [bar.get("fill") for bar in elements(text, "rect")]
    assert fills[1:3] == ["#4477aa", "#d98a3d"]
    assert fills[3:5] == fills[1:3]
    assert [one.text for one in elements(text, "text")][:2] == list(NAMES)


def test_outcomes_name_their_colours() -> None:
    text = figure_files(NAMES, two_runs())["outcomes.svg"]

    _, square, *bars = [bar.get("fill") for bar in elements(text, "rect")]
    assert bars == [square, square]
    assert elements(text, "text")[0].text == "support complete"


def test_axes_of_costs_are_named() -> None:
    text = figure_files(NAMES, two_runs(context="some words"))["costs.svg"]

    assert {"coverage", "tokens of evidence"} <= {one.text for one in elements(text, "text")}


def test_without_costs_there_is_no_such_file() -> None:
    assert "costs.svg" not in figure_files(NAMES, two_runs())


def test_a_name_may_hold_what_xml_cannot() -> None:
    text = figure_files(("a\x1bb", "c"), two_runs())["metrics.svg"]

    assert elements(text, "text")[0].text == "ab"
