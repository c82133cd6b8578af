"""Markdown tables, made from the figures of runs and never typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hoptrail.core.text import flat
from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.comparison import Comparison, Contrast
from hoptrail.eval.report.labels import label, main_first
from hoptrail.eval.report.numbers import ABSENT, figure, interval, p_value, signed


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; columns after the first are aligned to the right."""
    rule = ["---", *(["---:"] * (len(columns) - 1))]
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in (columns, rule, *rows))


def runs_table(names: Sequence[str], summaries: Sequence[JsonDict], metrics: Sequence[str]) -> str:
    """Return runs against metrics, each figure with its 95 % interval where it has one.

    Args:
        names: What the runs are called.
        summaries: Their figures, as in `summary.json`.
        metrics: The figures to show; those that no run measures are left out.
    """
    measured = [
        name for name in metrics if any(summary.get(name) is not None for summary in summaries)
    ]
    rows = (
        [name, figure(summary.get("n")), *(_with_interval(summary, metric) for metric in measured)]
        for name, summary in zip(names, summaries, strict=True)
    )
    return markdown_table(["run", "n", *map(label, measured)], rows)


def comparison_markdown(comparison: Comparison) -> str:
    """Return each metric's mean per run with the paired difference to the baseline."""
    baseline, *others = comparison.names
    by_name = {metric.name: metric for metric in comparison.metrics}
    rows = []
    for metric in (by_name[name] for name in main_first(by_name)):
        cells = zip(metric.means, metric.contrasts, strict=True)
        compared = (_compared(metric.name, mean, contrast) for mean, contrast in cells)
        rows.append([label(metric.name), str(metric.n), *compared])
    table = markdown_table(["metric", "n", f"{baseline} (baseline)", *others], rows)
    return (
        f"{table}\nDifferences to the baseline over {comparison.n} common questions, with 95 % "
        "intervals and p-values of the paired bootstrap; McNemar's exact p where scores are 0 or "
        "1. P-values are not corrected for their number.\n"
    )


def differences_table(comparison: JsonDict, metrics: Sequence[str]) -> str:
    """Return each run's differences to the baseline, a run per line.

    Args:
        comparison: A comparison, as in `comparison.json`.
        metrics: The metrics to show; those that were not compared are left out.
    """
    compared = {metric["name"]: metric for metric in comparison["metrics"]}
    shown = [compared[name] for name in metrics if name in compared]
    rows = (
        [name, *(_difference(metric["contrasts"][place]) for metric in shown)]
        for place, name in enumerate(comparison["names"])
        if place
    )
    columns = [f"against {comparison['baseline']}", *(label(metric["name"]) for metric in shown)]
    return markdown_table(columns, rows)


def _difference(contrast: JsonDict | None) -> str:
    if contrast is None:
        return ABSENT
    difference = contrast["difference"]
    bounds = " to ".join(map(signed, difference["ci95"]))
    return f"{signed(difference['mean'])} ({bounds}), p {p_value(difference['p'])}"


def _compared(name: str, mean: float | None, contrast: Contrast | None) -> str:
    if contrast is None:
        return figure(mean, name)
    difference = contrast.difference
    bounds = " to ".join(signed(bound, name) for bound in difference.ci95)
    test = f", McNemar {p_value(contrast.mcnemar.p)}" if contrast.mcnemar else ""
    change = f"{signed(difference.mean, name)} [{bounds}], p {p_value(difference.p)}{test}"
    return f"{figure(mean, name)} ({change})"


def _with_interval(summary: JsonDict, metric: str) -> str:
    bounds = interval(summary.get("ci95", {}).get(metric), metric)
    value = figure(summary.get(metric), metric)
    return f"{value} ({bounds})" if bounds else value


def _cell(text: str) -> str:
    return flat(text).replace("|", "\\|")
