"""The charts of a page as inline SVG: main metrics, outcomes, quality against cost.

Widths are in per cent, so that text keeps its size on any screen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.statistics import mean
from hoptrail.eval.report.labels import MAIN_METRICS, OUTCOMES, OutcomeClass, label, outcome_class
from hoptrail.eval.report.template import percent, render_template, run_colour
from hoptrail.eval.run_folder import LoadedRun

if TYPE_CHECKING:
    from markupsafe import Markup

_PLOT = 84.0
_BAR_STEP = 19
_LABEL_HEIGHT = 22
_GAP = 14
_STACK_STEP = 58

_QUALITY = ("accuracy", "coverage", "recall@5")

_HEIGHT = 260
_LINE = 17
_TICKS = 4
_LONGEST_NAME = 32


@dataclass(frozen=True, slots=True)
class Bar:
    """A share between 0 and 1 with its interval."""

    value: float
    bounds: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a stacked bar; `key` is the style class of its colour."""

    key: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class _PlacedBar:
    name: str
    bar: Bar
    y: int
    colour: str

    @property
    def width(self) -> str:
        return _plotted(self.bar.value)

    @property
    def whisker(self) -> tuple[str, ...]:
        """Where the interval begins and ends, nothing without one."""
        return tuple(map(_plotted, self.bar.bounds or ()))


@dataclass(frozen=True, slots=True)
class _PlacedGroup:
    label: str
    y: int
    bars: Sequence[_PlacedBar]


@dataclass(frozen=True, slots=True)
class _PlacedSegment:
    segment: Segment
    start: float
    width: float


def bar_chart(
    title: str, names: Sequence[str], groups: Sequence[tuple[str, Sequence[Bar | None]]]
) -> Markup:
    """Return horizontal bars with interval whiskers: per metric a bar of each run that has it.

    Args:
        title: What the chart shows, for readers who do not see it.
        names: The runs.
        groups: Each metric's label with one bar per run, None for a run without it.
    """
    placed: list[_PlacedGroup] = []
    height = 0
    for metric, bars in groups:
        top, height = height, height + _LABEL_HEIGHT
        of_group = []
        for place, (name, bar) in enumerate(zip(names, bars, strict=True)):
            if bar is not None:
                of_group.append(_PlacedBar(f"{metric}, {name}", bar, height, run_colour(place)))
                height += _BAR_STEP
        placed.append(_PlacedGroup(metric, top, of_group))
        height += _GAP
    grid = [_plotted(quarter / 4) for quarter in range(5)]
    return render_template("bar_chart.svg", title=title, grid=grid, groups=placed, height=height)


def stacked_chart(title: str, bars: Sequence[tuple[str, Sequence[Segment]]]) -> Markup:
    """Return one bar of shares per run; a share that has room carries its count.

    Args:
        title: What the chart shows.
        bars: Each run's name with its parts.
    """
    placed = [(name, _side_by_side(segments)) for name, segments in bars]
    return render_template("stacked_chart.svg", title=title, bars=placed, step=_STACK_STEP)


def _side_by_side(segments: Sequence[Segment]) -> list[_PlacedSegment]:
    total = sum(segment.count for segment in segments) or 1
    placed = []
    start = 0.0
    for segment in segments:
        width = 100 * segment.count / total
        placed.append(_PlacedSegment(segment, start, width))
        start += width
    return placed


def _plotted(share: float) -> str:
    return percent(_PLOT * min(max(share, 0.0), 1.0))


def metric_chart(names: Sequence[str], runs: Sequence[LoadedRun]) -> Markup:
    """Return the main metrics that the runs measure, a bar for each run."""
    measured = [
        name for name in MAIN_METRICS if any(run.summary.get(name) is not None for run in runs)
    ]
    groups = [(label(name), [_metric_bar(run.summary, name) for run in runs]) for name in measured]
    return bar_chart("Main metrics with 95 % intervals", names, groups)


def _metric_bar(summary: JsonDict, name: str) -> Bar | None:
    value = summary.get(name)
    return None if value is None else Bar(value, summary.get("ci95", {}).get(name))


def count_outcomes(rows_of_runs: Sequence[Sequence[JsonDict]]) -> dict[OutcomeClass, list[int]]:
    """Return by class how many questions of each run are of it; classes without any are left out.

    Args:
        rows_of_runs: The rows of each run.
    """
    counts = [Counter(map(outcome_class, rows)) for rows in rows_of_runs]
    found = [kind for kind in OUTCOMES if any(kind in counted for counted in counts)]
    return {kind: [counted[kind] for counted in counts] for kind in found}


def outcome_chart(names: Sequence[str], outcomes: Mapping[OutcomeClass, Sequence[int]]) -> Markup:
    """Return the shares of the outcomes, a bar for each run."""
    bars = [
        (
            name,
            [
                Segment(kind.key, kind.label, counts[place])
                for kind, counts in outcomes.items()
                if counts[place]
            ],
        )
        for place, name in enumerate(names)
    ]
    return stacked_chart("Questions by outcome", bars)


@dataclass(frozen=True, slots=True)
class CostChart:
    """A share against a cost; `title` says which points it has."""

    title: str
    chart: Markup


def cost_chart(names: Sequence[str], runs: Sequence[LoadedRun]) -> CostChart | None:
    """Return the chart, None where there are not two points with a cost.

    One run is split by type of question, else by hops. Where a run calls no model, the cost is the
    size of the evidence that a model would have to read.
    """
    if len(runs) == 1:
        summary = runs[0].summary
        by_hops = {f"{hops} hops": of for hops, of in (summary.get("by_hops") or {}).items()}
        groups: JsonDict = summary.get("by_type") or by_hops
        title = "Quality against tokens, by kind of question"
        names, figures = list(groups), list(groups.values())
    else:
        title, figures = "Quality against tokens", [run.summary for run in runs]
    cost, tokens = "tokens per question", [of.get("tokens_mean") or 0.0 for of in figures]
    if len(runs) > 1 and not all(tokens):
        cost, tokens = "tokens of evidence", [_evidence_tokens(run.rows) for run in runs]
    quality = next(
        (name for name in _QUALITY if all(of.get(name) is not None for of in figures)), None
    )
    if quality is None or len(figures) < 2 or not all(tokens):
        return None
    points = [
        Point(name, read, of[quality], of.get("ci95", {}).get(quality))
        for name, read, of in zip(names, tokens, figures, strict=True)
    ]
    return CostChart(title, scatter_chart(title, cost, label(quality), points))


def _evidence_tokens(rows: Sequence[JsonDict]) -> float:
    sizes = [row.get("tokens") or estimate_tokens(row.get("context") or "") for row in rows]
    return mean(sizes) or 0.0


@dataclass(frozen=True, slots=True)
class Point:
    """A named point; `bounds` is the interval of `y`."""

    name: str
    x: float
    y: float
    bounds: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class _PlacedPoint:
    """A point in the plot: `x` in per cent, everything else in pixels from the top."""

    point: Point
    colour: str
    x: float
    y: str
    name_y: str
    whisker: tuple[str, ...]


def scatter_chart(title: str, x_label: str, y_label: str, points: Sequence[Point]) -> Markup:
    """Return points with whiskers and names.

    Args:
        title: What the chart shows.
        x_label: Name of the cost; its axis starts at 0.
        y_label: Name of the share; its axis ends at round values around the whiskers.
        points: At least one point.
    """
    end = _round_up(max(point.x for point in points))
    low, high = _share_range(points)
    return render_template(
        "scatter_chart.svg",
        title=title,
        x_label=x_label,
        y_label=y_label,
        height=_HEIGHT,
        longest_name=_LONGEST_NAME,
        y_ticks=[
            (f"{share:.1f}", f"{_height(share, low, high):.1f}") for share in _tenths(low, high)
        ],
        x_ticks=[
            (f"{end * step / _TICKS:,.0f}", f"{100 * step / _TICKS:.0f}%")
            for step in range(_TICKS + 1)
        ],
        points=list(_placed(points, end, (low, high))),
    )


def _placed(
    points: Sequence[Point], end: float, shares: tuple[float, float]
) -> Iterator[_PlacedPoint]:
    """Yield the points between 0 and `end`, and between two shares."""
    heights = [_height(point.y, *shares) for point in points]
    for place, (point, y, name_y) in enumerate(zip(points, heights, _spread(heights), strict=True)):
        yield _PlacedPoint(
            point,
            run_colour(place),
            x=100 * point.x / end,
            y=f"{y:.1f}",
            name_y=f"{name_y + 4:.1f}",
            whisker=tuple(
                f"{_height(bound, *shares):.1f}" for bound in reversed(point.bounds or ())
            ),
        )


def _height(share: float, low: float, high: float) -> float:
    return _HEIGHT * (high - share) / (high - low)


def _share_range(points: Sequence[Point]) -> tuple[float, float]:
    """Return the tenths around all points and whiskers, two tenths apart at least."""
    shares = [share for point in points for share in (point.y, *(point.bounds or ()))]
    low = math.floor(max(0.0, min(shares) - 0.02) * 10) / 10
    high = math.ceil(min(1.0, max(shares) + 0.02) * 10) / 10
    return min(low, high - 0.2), high


def _tenths(low: float, high: float) -> list[float]:
    """Return every tenth between two tenths, every second one where they are many."""
    first, last = round(10 * low), round(10 * high)
    return [tenth / 10 for tenth in range(first, last + 1, 1 if last - first <= 5 else 2)]


def _round_up(value: float) -> float:
    """Return the next number of the form 1, 2, 4, 6, 8 or 10 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(value, 1)))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value)


def _spread(heights: Sequence[float]) -> list[float]:
    """Return the heights moved down where a label would cover another."""
    moved = list(heights)
    last = -math.inf
    for place in sorted(range(len(heights)), key=heights.__getitem__):
        moved[place] = last = max(heights[place], last + _LINE)
    return moved
