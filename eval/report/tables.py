"""Tables of figures, made and never typed: those of a page, and those in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.core.text import flat
from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.comparison import ComparedMetric, Comparison, Contrast
from hoptrail.eval.figures.summary import COSTS
from hoptrail.eval.report.labels import (
    HEAT_METRICS,
    figure,
    label,
    main_first,
    p_value,
    signed,
)
from hoptrail.eval.report.template import render_template
from hoptrail.eval.run_folder import LoadedRun

if TYPE_CHECKING:
    from markupsafe import Markup

_SIGNIFICANT = 0.05
_NO_DIRECTION = frozenset({"abstain_rate", "nodes_mean", "density", "connectedness"})


@dataclass(frozen=True, slots=True)
class _Cell:
    """A run's mean with its contrast to the baseline, whose style class is `direction`."""

    mean: float | None
    contrast: Contrast | None
    direction: str | None


@dataclass(frozen=True, slots=True)
class _HeatRow:
    """One run's figures for one kind of question; only the first row of a kind names it."""

    kind: str | None
    run: str
    figures: JsonDict


def figures_table(names: Sequence[str], runs: Sequence[LoadedRun]) -> Markup:
    """Return every figure that a run measured, with its interval and its meaning."""
    summaries = [{**run.summary, **(run.summary.get("verdicts") or {})} for run in runs]
    measured = dict.fromkeys(
        name
        for summary in summaries
        for name, value in summary.items()
        if isinstance(value, int | float)
    )
    return render_template(
        "figures_table.html",
        heads=["figure", *_heads(names), "meaning"],
        figures=main_first(measured),
        summaries=summaries,
    )


def _heads(names: Sequence[str]) -> Sequence[str]:
    return names if len(names) > 1 else ("value",)


def comparison_table(comparison: Comparison) -> Markup:
    """Return each metric's mean per run, and how far each run is from the baseline.

    What the baseline or all others do not measure has no difference, and is left out.
    """
    by_name = {metric.name: metric for metric in comparison.metrics if any(metric.contrasts)}
    metrics = [by_name[name] for name in main_first(by_name)]
    return render_template(
        "comparison_table.html",
        names=comparison.names,
        metrics=[(metric, _cells(metric)) for metric in metrics],
    )


def _cells(metric: ComparedMetric) -> list[_Cell]:
    return [
        _Cell(mean, contrast, _direction(metric.name, contrast) if contrast else None)
        for mean, contrast in zip(metric.means, metric.contrasts, strict=True)
    ]


def _direction(name: str, contrast: Contrast) -> str:
    """Return the style class of a difference: only what is beyond chance has a colour."""
    if name in _NO_DIRECTION or contrast.difference.p >= _SIGNIFICANT:
        return "even"
    is_better = (contrast.difference.mean > 0) != (name in COSTS)
    return "better" if is_better else "worse"


def heat_map(field: str, names: Sequence[str], runs: Sequence[LoadedRun]) -> Markup | None:
    """Return the main metrics per kind of question, None where there is one kind at most.

    Args:
        field: `type` or `hops`.
        names: The runs' names.
        runs: The runs.
    """
    groups = [run.summary.get(f"by_{field}") or {} for run in runs]
    kinds = sorted({kind for group in groups for kind in group})
    columns = [
        name
        for name in HEAT_METRICS
        if any(figures.get(name) is not None for group in groups for figures in group.values())
    ]
    if len(kinds) < 2 or not columns:
        return None
    rows = list(_heat_rows(kinds, names, groups))
    return render_template("heat_map.html", field=field, runs=len(runs), columns=columns, rows=rows)


def _heat_rows(
    kinds: Sequence[str], names: Sequence[str], groups: Sequence[JsonDict]
) -> Iterator[_HeatRow]:
    for kind in kinds:
        for place, (name, group) in enumerate(zip(names, groups, strict=True)):
            yield _HeatRow(kind if place == 0 else None, name, group.get(kind, {}))


def settings_table(names: Sequence[str], runs: Sequence[LoadedRun]) -> Markup:
    """Return what each run was made with, as its record tells."""
    settings = dict.fromkeys(name for run in runs for name in run.run)
    return render_template(
        "settings_table.html",
        heads=["setting", *_heads(names)],
        settings={name: [_setting(run.run.get(name)) for run in runs] for name in settings},
    )


def _setting(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_setting(item)}" for name, item in value.items())
    return "" if value is None else str(value)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; columns after the first are aligned to the right."""
    rule = ["---", *(["---:"] * (len(columns) - 1))]
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in (columns, rule, *rows))


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


def _compared(name: str, mean: float | None, contrast: Contrast | None) -> str:
    if contrast is None:
        return figure(mean, name)
    difference = contrast.difference
    bounds = " to ".join(signed(bound, name) for bound in difference.ci95)
    test = f", McNemar {p_value(contrast.mcnemar.p)}" if contrast.mcnemar else ""
    change = f"{signed(difference.mean, name)} [{bounds}], p {p_value(difference.p)}{test}"
    return f"{figure(mean, name)} ({change})"


def _cell(text: str) -> str:
    return flat(text).replace("|", "\\|")
