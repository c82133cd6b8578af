"""Charts as inline SVG: widths in per cent, so that text keeps its size on any screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.eval.report.template import percent, render_template, run_colour

if TYPE_CHECKING:
    from markupsafe import Markup

_PLOT = 84.0
_BAR_STEP = 19
_LABEL_HEIGHT = 22
_GAP = 14
_STACK_STEP = 58


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
    for label, bars in groups:
        top, height = height, height + _LABEL_HEIGHT
        of_group = []
        for place, (name, bar) in enumerate(zip(names, bars, strict=True)):
            if bar is not None:
                of_group.append(_PlacedBar(f"{label}, {name}", bar, height, run_colour(place)))
                height += _BAR_STEP
        placed.append(_PlacedGroup(label, top, of_group))
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
