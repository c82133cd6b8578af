"""A share against its cost: one point per run, or per kind of question."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.eval.report.template import render_template, run_colour

if TYPE_CHECKING:
    from markupsafe import Markup

_HEIGHT = 260
_LINE = 17
_TICKS = 4
_LONGEST_NAME = 32


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
