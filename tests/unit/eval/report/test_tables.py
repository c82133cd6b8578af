"""Tables in Markdown."""

from __future__ import annotations

from hoptrail.eval.figures.comparison import compare_runs
from hoptrail.eval.report.tables import (
    comparison_markdown,
    markdown_table,
)
from tests.unit.eval.report.runs import make_row, make_run

BASELINE = make_run("a", [make_row(n, scores={"em": 0.0}) for n in range(8)])
OTHER = make_run("b", [make_row(n, scores={"em": 1.0}) for n in range(8)])
COMPARISON = compare_runs([BASELINE, OTHER])


def test_bars_in_a_text_do_not_split_its_cell() -> None:
    assert markdown_table(["a", "b"], [["x | y", "two\nlines"]]) == (
        "| a | b |\n| --- | ---: |\n| x \\| y | two lines |\n"
    )


def test_a_comparison_is_a_table_of_metrics() -> None:
    lines = comparison_markdown(COMPARISON).splitlines()
    assert lines[0] == "| metric | n | a (baseline) | b |"
    assert lines[2] == (
        "| exact match | 8 | 0.000 | 1.000 (+1.000 [+1.000 to +1.000], p < 0.001, McNemar 0.008) |"
    )
