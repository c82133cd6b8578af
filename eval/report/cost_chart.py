"""Quality against cost: a share against tokens, per run or per kind of question."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import JsonDict
from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.report.labels import label
from hoptrail.eval.report.template import render_template, run_colour

if TYPE_CHECKING:
    from markupsafe import Markup


_QUALITY = ("accuracy", "coverage", "recall@5")

_HEIGHT = 260
_LINE = 17
_TICKS = 4
_LONGEST_NAME = 32


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
    return sum(sizes) / len(sizes) if sizes else 0.0


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
