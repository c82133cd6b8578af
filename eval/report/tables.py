"""The tables of a page: all figures, paired differences, breakdowns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.comparison import ComparedMetric, Comparison, Contrast
from hoptrail.eval.figures.costs import COSTS
from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.report.labels import HEAT_METRICS, description, label, main_first
from hoptrail.eval.report.markup import Child, Html, tag
from hoptrail.eval.report.numbers import figure, interval, p_value, signed

_SIGNIFICANT = 0.05
_NO_DIRECTION = frozenset({"abstain_rate", "nodes_mean", "density", "connectedness"})


def table(columns: Iterable[Child], rows: Iterable[Html], *, caption: str) -> Html:
    """Return a table that scrolls within its own box.

    Args:
        columns: Heads of the columns.
        rows: `tr` elements.
        caption: What the table shows, for readers who do not see it.
    """
    head = tag("tr", (tag("th", column, scope="col") for column in columns))
    return tag(
        "div",
        tag("table", tag("caption", caption), tag("thead", head), tag("tbody", rows)),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=caption,
    )


def figures_table(names: Sequence[str], runs: Sequence[LoadedRun]) -> Html:
    """Return every figure that a run measured, with its interval and its meaning."""
    measured = dict.fromkeys(
        name
        for run in runs
        for name, value in run.summary.items()
        if isinstance(value, int | float)
    )
    rows = (
        tag(
            "tr",
            tag("th", label(name), scope="row"),
            (_figure(run.summary, name) for run in runs),
            tag("td", description(name), class_="note"),
        )
        for name in main_first(measured)
    )
    heads = names if len(runs) > 1 else ("value",)
    caption = "All figures with 95 % intervals"
    return tag("div", table(("figure", *heads, "meaning"), rows, caption=caption), class_="figures")


def _figure(summary: JsonDict, name: str) -> Html:
    bounds = summary.get("ci95", {}).get(name)
    return tag(
        "td",
        figure(summary.get(name), name),
        tag("small", interval(bounds, name)) if bounds else None,
        class_="number",
    )


def comparison_table(comparison: Comparison) -> Html:
    """Return each metric's mean per run, and how far each run is from the baseline.

    What the baseline or all others do not measure has no difference, and is left out.
    """
    by_name = {metric.name: metric for metric in comparison.metrics if any(metric.contrasts)}
    rows = (
        tag(
            "tr",
            tag("th", label(metric.name), scope="row", title=description(metric.name)),
            tag("td", str(metric.n), class_="number"),
            (
                _compared(metric, mean, contrast)
                for mean, contrast in zip(metric.means, metric.contrasts, strict=True)
            ),
        )
        for metric in (by_name[name] for name in main_first(by_name))
    )
    baseline, *others = comparison.names
    heads = (
        "metric",
        "n",
        Html(f"{tag('span', baseline)}{tag('small', 'baseline')}"),
        *others,
    )
    return table(heads, rows, caption="Paired differences to the baseline")


def _compared(metric: ComparedMetric, mean: float | None, contrast: Contrast | None) -> Html:
    name = metric.name
    if contrast is None:
        return tag("td", figure(mean, name), class_="number")
    difference = contrast.difference
    bounds = f"{signed(difference.ci95[0], name)} to {signed(difference.ci95[1], name)}"
    counts = f"{contrast.higher} higher, {contrast.lower} lower"
    if contrast.mcnemar is not None:
        counts += f", McNemar p {p_value(contrast.mcnemar.p)}"
    return tag(
        "td",
        figure(mean, name),
        " ",
        tag("b", signed(difference.mean, name), class_=_direction(name, contrast)),
        tag("small", f"{bounds}, p {p_value(difference.p)}"),
        tag("small", counts),
        class_="number",
    )


def _direction(name: str, contrast: Contrast) -> str:
    """Return the style class of a difference: only what is beyond chance has a colour."""
    if name in _NO_DIRECTION or contrast.difference.p >= _SIGNIFICANT:
        return "even"
    is_better = (contrast.difference.mean > 0) != (name in COSTS)
    return "better" if is_better else "worse"


def heat_map(field: str, names: Sequence[str], runs: Sequence[LoadedRun]) -> Html | None:
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
    rows = (
        _heat_row(kind if place == 0 else None, len(runs), name, group.get(kind, {}), columns)
        for kind in kinds
        for place, (name, group) in enumerate(zip(names, groups, strict=True))
    )
    heads = (field, *(["run"] if len(runs) > 1 else []), "n", *map(label, columns))
    return table(heads, rows, caption=f"Main metrics by {field}")


def _heat_row(
    kind: str | None, runs: int, name: str, figures: JsonDict, columns: Sequence[str]
) -> Html:
    return tag(
        "tr",
        tag("th", kind, scope="rowgroup", rowspan=runs) if kind is not None else None,
        tag("td", name) if runs > 1 else None,
        tag("td", figure(figures.get("n")), class_="number"),
        (_heat_cell(figures.get(column)) for column in columns),
        class_="first" if kind is not None else None,
    )


def _heat_cell(value: float | None) -> Html:
    style = None if value is None else f"--heat:{100 * value:.0f}%"
    return tag("td", figure(value), class_="number heat", style=style)


def settings_table(names: Sequence[str], runs: Sequence[LoadedRun]) -> Html:
    """Return what each run was made with, as its record tells."""
    settings = dict.fromkeys(name for run in runs for name in run.run)
    rows = (
        tag(
            "tr",
            tag("th", name, scope="row"),
            (tag("td", _setting(run.run.get(name))) for run in runs),
        )
        for name in settings
    )
    heads = names if len(runs) > 1 else ("value",)
    return table(("setting", *heads), rows, caption="Settings")


def _setting(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_setting(item)}" for name, item in value.items())
    return "" if value is None else str(value)
