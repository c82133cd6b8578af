"""The folder of a comparison: its figures, its page, its charts, its tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

from hoptrail.eval.figures.comparison import Comparison, Contrast
from hoptrail.eval.figures.summary import summarize
from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.files.text_files import write_object, write_whole
from hoptrail.eval.report.figure_files import CHART_FILES, figure_files
from hoptrail.eval.report.labels import main_first
from hoptrail.eval.report.markdown import comparison_markdown
from hoptrail.eval.report.page import render_report

_COLUMNS = ("metric", "n", "run", "mean", "difference", "low", "high", "p", "mcnemar_p")


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


def comparison_csv(comparison: Comparison) -> str:
    """Return each metric's mean per run, and its difference to the baseline, the first run.

    `low` and `high` are the ends of the difference's 95 % interval. What is not measured is empty.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(_lines(comparison))
    return text.getvalue()


def _lines(comparison: Comparison) -> Iterator[tuple[object, ...]]:
    by_name = {metric.name: metric for metric in comparison.metrics}
    for metric in (by_name[name] for name in main_first(by_name)):
        runs = zip(comparison.names, metric.means, metric.contrasts, strict=True)
        for name, mean, contrast in runs:
            yield metric.name, metric.n, name, mean, *_contrast(contrast)


def _contrast(contrast: Contrast | None) -> tuple[float | None, ...]:
    if contrast is None:
        return (None,) * 5
    difference = contrast.difference
    tested = contrast.mcnemar.p if contrast.mcnemar else None
    return difference.mean, *difference.ci95, difference.p, tested
