"""The folder of a comparison: its figures, its page, its charts, its tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hoptrail.eval.figures.comparison import Comparison
from hoptrail.eval.figures.summary import summarize
from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.files.text_files import write_object, write_whole
from hoptrail.eval.report.comparison_csv import comparison_csv
from hoptrail.eval.report.figure_files import CHART_FILES, figure_files
from hoptrail.eval.report.markdown import comparison_markdown
from hoptrail.eval.report.page import render_report


def write_comparison(
    out: Path, runs: Sequence[LoadedRun], comparison: Comparison
) -> tuple[str, ...]:
    """Write the report, its charts, and the figures and tables; return the names of the files.

    Args:
        out: The folder, made where it does not exist.
        runs: The runs of the comparison, in its order.
        comparison: What was found about them.
    """
    write_object(out / "comparison.json", comparison.as_json())
    paired = [_common_part(run, comparison) for run in runs]
    texts = {
        "report.html": render_report(paired, comparison),
        "comparison.md": comparison_markdown(comparison),
        "comparison.csv": comparison_csv(comparison),
        **figure_files(comparison.names, paired),
    }
    for name in CHART_FILES:
        (out / name).unlink(missing_ok=True)  # one of an earlier comparison may have no successor
    for name, text in texts.items():
        write_whole(out / name, text)
    return (*texts, "comparison.json")


def _common_part(loaded: LoadedRun, comparison: Comparison) -> LoadedRun:
    """Return a run with the questions of the comparison alone: all of a page is about the same."""
    if len(loaded.rows) == comparison.n:
        return loaded
    rows = {row["id"]: row for row in loaded.rows}
    common = [rows[question] for question in comparison.questions]
    return LoadedRun(loaded.run, summarize(common), common)
