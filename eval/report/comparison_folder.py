"""The folder of a comparison: its figures, its page, its charts, its tables.

The charts of a page as SVG files of their own, for a paper.

Programs that convert SVG know neither the page's style sheet nor its variables, so every element
gets its colours as attributes, those of the light page.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from hoptrail.eval.figures.comparison import Comparison, Contrast
from hoptrail.eval.figures.summary import summarize
from hoptrail.eval.json_files import write_object, write_whole
from hoptrail.eval.report.charts import cost_chart, count_outcomes, metric_chart, outcome_chart
from hoptrail.eval.report.labels import main_first
from hoptrail.eval.report.page import render_report
from hoptrail.eval.report.tables import comparison_markdown
from hoptrail.eval.report.template import render_template, run_colour, style_sheet
from hoptrail.eval.run_folder import LoadedRun

if TYPE_CHECKING:
    from markupsafe import Markup

_COLUMNS = ("metric", "n", "run", "mean", "difference", "low", "high", "p", "mcnemar_p")

CHART_FILES = ("metrics.svg", "outcomes.svg", "costs.svg")
"""All files that there may be; without two points with a cost there is no `costs.svg`."""

_SVG = "{http://www.w3.org/2000/svg}"
_WIDTH = 760
_MARGIN = 24
_LEFT_OF_AXIS = 56
_LINE = 20
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_VARIABLE = re.compile(r"--([a-z0-9-]{1,20}): (#[0-9a-f]{3,6});")
_CLASSES = re.compile(r"(\.[a-z0-9., -]{1,60}) \{ --colour: var\(--([a-z0-9-]{1,20})\)")
_ATTRIBUTES: Mapping[str, Mapping[str, str]] = {
    "paper": {"fill": "#ffffff"},
    "label": {"font-weight": "500"},
    "value": {"text-anchor": "end"},
    "tick": {"fill": "#626772", "font-size": "12"},
    "end": {"text-anchor": "end"},
    "middle": {"text-anchor": "middle"},
    "count": {"font-weight": "600", "text-anchor": "middle"},
    "grid": {"stroke": "#e2dfd8"},
    "whisker": {"stroke": "#22252b", "stroke-width": "1.25"},
    "segment": {"stroke": "#ffffff", "stroke-width": "1.5"},
}


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


def figure_files(names: Sequence[str], runs: Sequence[LoadedRun]) -> dict[str, str]:
    """Return the text of an SVG file for each chart of the page, by the name of the file.

    Args:
        names: What the runs are called.
        runs: Those of a page, of the same questions each.
    """
    outcomes = count_outcomes([run.rows for run in runs])
    costs = cost_chart(names, runs)
    of_runs = [(run_colour(place), name) for place, name in enumerate(names)]
    of_outcomes = [(kind.key, kind.label) for kind in outcomes]
    metric_file, outcome_file, cost_file = CHART_FILES
    files = {
        metric_file: _file(metric_chart(names, runs), of_runs),
        outcome_file: _file(outcome_chart(names, outcomes), of_outcomes),
    }
    if costs is not None:
        files[cost_file] = _file(costs.chart, ())
    return files


def _file(markup: Markup, legend: Sequence[tuple[str, str]]) -> str:
    """Return a chart of the page with its legend, or with the names of its axes."""
    root = _parsed(markup)
    axes = ["".join(axis.itertext()) for axis in root.findall("p")]
    chart = root if root.tag == "svg" else next(root.iter("svg"))
    height = int(chart.get("height", "0"))
    above, below = axes or (None, None)
    top = _MARGIN + _LINE * len(legend) + (_LINE if above else 8)
    drawn = render_template(
        "figure.svg",
        width=_WIDTH,
        height=top + height + (3 if below else 1) * _MARGIN,
        margin=_MARGIN,
        line=_LINE,
        left=_LEFT_OF_AXIS if above else _MARGIN,
        top=top,
        legend=legend,
        above=above,
        below=below,
        chart_height=height,
        chart=_between_tags(markup),
    )
    return _painted(drawn)


def _parsed(text: str) -> ElementTree.Element:
    # A file's name may hold what XML cannot.
    return ElementTree.fromstring(_NOT_XML.sub("", text))  # noqa: S314 - of our own template


def _between_tags(markup: Markup) -> Markup:
    """Return what the chart holds: the frame gives it its place."""
    start = markup.index(">", markup.index("<svg")) + 1
    return markup[start : markup.rindex("</svg>")]


def _painted(drawn: str) -> str:
    """Return the drawing with attributes in place of style classes."""
    root = _parsed(drawn)
    for element in root.iter():
        classes = element.attrib.pop("class", "").split()
        for name, value in _attributes(element.tag.removeprefix(_SVG), classes):
            element.set(name, value)
    ElementTree.register_namespace("", _SVG.strip("{}"))
    return f"{ElementTree.tostring(root, encoding='unicode')}\n"


def _attributes(tag: str, classes: Sequence[str]) -> Iterator[tuple[str, str]]:
    if tag == "text":
        yield "fill", "#22252b"
    for name in classes:
        yield from _ATTRIBUTES.get(name, {}).items()
    for name in classes:
        if name in _colours():
            yield "stroke" if "whisker" in classes else "fill", _colours()[name]


@cache
def _colours() -> dict[str, str]:
    """Return the colour of each style class of a bar, a point or a segment."""
    style = style_sheet()
    light: dict[str, str] = {}
    for name, colour in _VARIABLE.findall(style):
        light.setdefault(name, colour)  # the dark page's come after
    return {
        one.strip(" ."): light[variable]
        for classes, variable in _CLASSES.findall(style)
        for one in classes.split(",")
    }
