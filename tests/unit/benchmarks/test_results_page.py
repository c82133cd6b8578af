"""The page of published figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.results_page import (
    ResultSet,
    differences_table,
    fill_markers,
    load_results,
    results_page,
    results_tables,
    runs_table,
    store_comparison,
    store_run,
    store_set,
)
from hoptrail.core.errors import InputError
from hoptrail.eval.figures.comparison import compare_runs
from tests.unit.eval.report.runs import make_row, make_run

ROOT = Path(__file__).parents[3]
RECORD = {
    "command": "hoptrail eval --out run",
    "date": "2026-01-02T03:04:05+00:00",
    "hoptrail": "0.1.0",
    "git": "0123456789abcdef",
    "environment": {"platform": "somewhere"},
}


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    worse = make_run("retriever:a", [make_row(1, scores={"coverage": 0.0, "recall@5": 0.25})])
    better = make_run("retriever:b", [make_row(1, scores={"coverage": 1.0, "recall@5": 1.0})])
    answered = {"accuracy": 1.0, "abstain_rate": 0.0, "coverage": 1.0}
    preset = make_run("preset:c", [make_row(1, scores=answered)], **RECORD)
    about = {"title": "Ships", "description": "One question.", "index": "hoptrail index ships"}
    store_set(folder / "ships", about)
    for name, run in (("b", better), ("a", worse), ("c", preset)):
        store_run(folder / "ships" / name, run)
    store_comparison(folder / "ships", compare_runs([worse, better]))
    return folder


@pytest.fixture
def sets(stored: Path) -> list[ResultSet]:
    return load_results(stored)


def test_no_question_and_nothing_about_the_machine_is_stored(stored: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in stored.rglob("*.json"))
    assert "bold" not in text
    assert "q1" not in text
    assert "somewhere" not in text


def test_retrievers_and_presets_have_tables_of_their_own(sets: list[ResultSet]) -> None:
    tables = results_tables(sets)
    assert [line.split(" | ")[0] for line in tables["ships/retrieval"].splitlines()[2:]] == [
        "| a",
        "| b",
    ]
    assert tables["ships/answers"].splitlines()[2].startswith("| c | 1 | 1.000")
    assert "+0.750" in tables["ships/differences"]


def test_each_figure_has_command_date_version_and_n(sets: list[ResultSet]) -> None:
    page = results_page(sets)
    assert "| c | 1 | 2026-01-02 | 0.1.0 | 0123456789ab |" in page
    assert "    hoptrail index ships\n" in page
    assert "    hoptrail eval --out run\n" in page


def test_marked_places_are_filled_in_and_can_be_filled_again(sets: list[ResultSet]) -> None:
    text = "Before.\n\n<!-- results:ships/errors -->\nold\n<!-- /results -->\n\nAfter.\n"
    tables = results_tables(sets)
    filled = fill_markers(text, tables, Path("README.md"))
    assert "| c | 1.000 |" in filled
    assert "old" not in filled
    assert filled.startswith("Before.") and filled.endswith("After.\n")
    assert fill_markers(filled, tables, Path("README.md")) == filled


def test_a_marker_of_no_table_is_an_error(sets: list[ResultSet]) -> None:
    text = "<!-- results:ships/nothing -->\n<!-- /results -->"
    with pytest.raises(InputError, match="ships/nothing"):
        fill_markers(text, results_tables(sets), Path("README.md"))


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no results"):
        load_results(tmp_path)


def test_the_published_page_is_what_the_stored_runs_say() -> None:
    stored = load_results(ROOT / "benchmarks" / "results")
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == results_page(stored)


def test_the_marked_tables_of_the_figures_are_what_the_stored_runs_say() -> None:
    figures = ROOT / "docs" / "figures.md"
    text = figures.read_text(encoding="utf-8")
    tables = results_tables(load_results(ROOT / "benchmarks" / "results"))
    assert "<!-- results:" in text
    assert fill_markers(text, tables, figures) == text


def test_published_commands_name_no_place_of_one_machine() -> None:
    for path in (ROOT / "benchmarks" / "results").glob("*/*/run.json"):
        command = json.loads(path.read_text(encoding="utf-8"))["command"]
        assert " /" not in command


def test_runs_stand_against_the_metrics_that_one_of_them_measures() -> None:
    summaries: list[dict[str, Any]] = [
        {"n": 10, "em": 0.5, "ci95": {"em": (0.2, 0.8)}},
        {"n": 9, "em": None},
    ]
    assert runs_table(["a", "b"], summaries, ["em", "f1"]).splitlines()[2:] == [
        "| a | 10 | 0.500 (0.200 to 0.800) |",
        "| b | 9 | – |",
    ]


def test_differences_are_a_table_of_runs() -> None:
    baseline = make_run("a", [make_row(n, scores={"em": 0.0}) for n in range(8)])
    other = make_run("b", [make_row(n, scores={"em": 1.0}) for n in range(8)])
    assert differences_table(
        compare_runs([baseline, other]).as_json(), ["em", "f1"]
    ).splitlines() == [
        "| against a | exact match |",
        "| --- | ---: |",
        "| b | +1.000 (+1.000 to +1.000), p < 0.001 |",
    ]
