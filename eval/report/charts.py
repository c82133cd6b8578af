"""Charts as inline SVG: widths in per cent, so that text keeps its size on any screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hoptrail.eval.report.markup import Html, tag
from hoptrail.eval.report.numbers import figure, interval

RUN_COLOURS = 8
_PLOT = 84.0
_BAR, _BAR_STEP = 12, 19
_LABEL_HEIGHT = 22
_GAP = 14


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


def bar_chart(
    title: str, names: Sequence[str], groups: Sequence[tuple[str, Sequence[Bar | None]]]
) -> Html:
    """Return horizontal bars with interval whiskers: per metric a bar of each run that has it.

    Args:
        title: What the chart shows, for readers who do not see it.
        names: The runs.
        groups: Each metric's label with one bar per run, None for a run without it.
    """
    shapes: list[Html] = []
    spoken: list[str] = []
    height = 0
    for label, bars in groups:
        shapes.append(tag("text", label, x="0", y=height + 14, class_="label"))
        height += _LABEL_HEIGHT
        for place, (name, bar) in enumerate(zip(names, bars, strict=True)):
            if bar is not None:
                shapes.append(_bar(f"{label}, {name}", bar, height, run_colour(place)))
                spoken.append(f"{label}, {name} {_spoken(bar)}")
                height += _BAR_STEP
        height += _GAP
    grid = (_grid_line(share, height) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    return _svg(title, "; ".join(spoken), height, [*grid, *shapes])


def _bar(name: str, bar: Bar, y: int, colour: str) -> Html:
    middle = y + _BAR // 2
    width = _percent(bar.value)
    return tag(
        "g",
        tag("title", f"{name}: {_spoken(bar)}"),
        tag("rect", x="0", y=y, width=width, height=_BAR, rx=2, class_=f"bar {colour}"),
        _whisker(bar.bounds, middle) if bar.bounds else None,
        tag("text", figure(bar.value), x="100%", y=middle + 4, class_="value"),
    )


def _whisker(bounds: Sequence[float], y: int) -> list[Html]:
    low, high = _percent(bounds[0]), _percent(bounds[1])
    return [
        tag("line", x1=low, x2=high, y1=y, y2=y, class_="whisker"),
        *(tag("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_="whisker") for x in (low, high)),
    ]


def stacked_chart(title: str, bars: Sequence[tuple[str, Sequence[Segment]]]) -> Html:
    """Return one bar of shares per run; a share that has room carries its count.

    Args:
        title: What the chart shows.
        bars: Each run's name with its parts.
    """
    step = 58
    shapes: list[Html] = []
    for row, (name, segments) in enumerate(bars):
        top = row * step
        shapes.append(tag("text", name, x="0", y=top + 14, class_="label"))
        total = sum(segment.count for segment in segments) or 1
        start = 0.0
        for segment in segments:
            width = 100 * segment.count / total
            shapes.append(_segment(segment, start, width, top + _LABEL_HEIGHT))
            start += width
    spoken = (
        f"{name}: " + ", ".join(f"{segment.count} {segment.label}" for segment in segments)
        for name, segments in bars
    )
    return _svg(title, "; ".join(spoken), step * len(bars), shapes)


def _segment(segment: Segment, start: float, width: float, top: int) -> Html:
    count = str(segment.count)
    middle = f"{start + width / 2:.2f}%"
    return tag(
        "g",
        tag("title", f"{segment.label}: {count}"),
        tag(
            "rect",
            x=f"{start:.2f}%",
            y=top,
            width=f"{width:.2f}%",
            height=26,
            class_=f"segment {segment.key}",
        ),
        tag("text", count, x=middle, y=top + 17, class_="count") if width >= 6 else None,
    )


def run_colour(place: int) -> str:
    """Return the style class of a run's colour."""
    return f"run-{place % RUN_COLOURS}"


def _grid_line(share: float, height: int) -> Html:
    x = _percent(share)
    return tag("line", x1=x, x2=x, y1=0, y2=height, class_="grid")


def _svg(title: str, description: str, height: int, shapes: Iterable[Html]) -> Html:
    return tag(
        "svg",
        tag("title", title),
        tag("desc", description),
        shapes,
        class_="chart",
        role="img",
        width="100%",
        height=height,
    )


def _percent(share: float) -> str:
    return f"{_PLOT * min(max(share, 0.0), 1.0):.2f}%"


def _spoken(bar: Bar) -> str:
    bounds = f" ({interval(bar.bounds)})" if bar.bounds else ""
    return f"{figure(bar.value)}{bounds}"
