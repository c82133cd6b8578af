"""Charts as files of their own."""

from __future__ import annotations

from xml.etree import ElementTree

from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.report.figure_files import figure_files
from tests.unit.eval.report.runs import make_row, make_run

NAMES = ("ket & co", "bm25")


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
