"""A share against its cost: one point per run, or per kind of question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.eval.report.charts import run_colour
from hoptrail.eval.report.markup import Html, tag
from hoptrail.eval.report.numbers import figure, interval

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


def scatter_chart(title: str, x_label: str, y_label: str, points: Sequence[Point]) -> Html:
    """Return points with whiskers and names.

    Args:
        title: What the chart shows.
        x_label: Name of the cost; its axis starts at 0.
        y_label: Name of the share; its axis ends at round values around the whiskers.
        points: At least one point.
    """
    end = _round_up(max(point.x for point in points))
    low, high = _share_range(points)
    heights = [_height(point.y, low, high) for point in points]
    shapes = [
        *(_y_tick(share, low, high) for share in _tenths(low, high)),
        *(_x_tick(end * step / _TICKS, step) for step in range(_TICKS + 1)),
        *(
            _point(point, run_colour(place), 100 * point.x / end, height, label, (low, high))
            for place, (point, height, label) in enumerate(
                zip(points, heights, _spread(heights), strict=True)
            )
        ),
    ]
    spoken = "; ".join(
        f"{point.name}: {y_label} {figure(point.y)} at {point.x:,.0f} {x_label}" for point in points
    )
    chart = tag(
        "svg",
        tag("title", title),
        tag("desc", spoken),
        shapes,
        class_="chart scatter",
        role="img",
        height=_HEIGHT,
    )
    axes = tag("p", y_label, class_="axis"), tag("p", x_label, class_="axis end")
    return tag("div", axes[0], chart, axes[1])


def _point(
    point: Point, colour: str, x: float, y: float, label_y: float, ends: tuple[float, float]
) -> Html:
    place = f"{x:.2f}%"
    is_right = x > 55
    name = point.name
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 1]}…"
    whisker = None
    if point.bounds:
        top, bottom = (_height(bound, *ends) for bound in reversed(point.bounds))
        whisker = tag(
            "line",
            x1=place,
            x2=place,
            y1=f"{top:.1f}",
            y2=f"{bottom:.1f}",
            class_=f"whisker {colour}",
        )
    bounds = f" ({interval(point.bounds)})" if point.bounds else ""
    return tag(
        "g",
        tag("title", f"{point.name}: {figure(point.y)}{bounds}"),
        whisker,
        tag("circle", cx=place, cy=f"{y:.1f}", r=6, class_=f"bar {colour}"),
        tag(
            "text",
            name,
            x=place,
            y=f"{label_y + 4:.1f}",
            dx=-12 if is_right else 12,
            class_="value" if is_right else "name",
        ),
    )


def _y_tick(share: float, low: float, high: float) -> Html:
    y = f"{_height(share, low, high):.1f}"
    return tag(
        "g",
        tag("line", x1="0", x2="100%", y1=y, y2=y, class_="grid"),
        tag("text", f"{share:.1f}", x="0", y=y, dx=-8, dy=4, class_="tick end"),
    )


def _x_tick(value: float, step: int) -> Html:
    x = f"{100 * step / _TICKS:.0f}%"
    return tag("text", f"{value:,.0f}", x=x, y=_HEIGHT + 18, class_="tick middle")


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
