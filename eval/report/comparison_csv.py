"""A comparison as CSV: a line per metric and run, for programs that draw and typeset tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from hoptrail.eval.figures.comparison import Comparison, Contrast
from hoptrail.eval.report.labels import main_first

_COLUMNS = ("metric", "n", "run", "mean", "difference", "low", "high", "p", "mcnemar_p")


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
