"""Charts as SVG."""

from __future__ import annotations

import re

import pytest

from hoptrail.eval.report.charts import Bar, Point, Segment, bar_chart, scatter_chart, stacked_chart


def percents(svg: str, element: str, attribute: str) -> list[float]:
    return [float(x) for x in re.findall(rf'<{element} [^>]*?\b{attribute}="([\d.]+)%"', svg)]


def test_bars_are_as_long_as_their_values() -> None:
    svg = bar_chart("t", ["a", "b"], [("recall", [Bar(0.25), Bar(0.5)])])
    first, second = percents(svg, "rect", "width")
    assert second == 2 * first


def test_whiskers_reach_from_bound_to_bound() -> None:
    svg = bar_chart("t", ["a"], [("recall", [Bar(0.5, (0.25, 1.0))])])
    (bar,) = percents(svg, "rect", "width")
    whisker = re.search(r'<line x1="([\d.]+)%" x2="([\d.]+)%"[^>]*whisker', svg)
    assert whisker is not None
    assert [float(x) for x in whisker.groups()] == pytest.approx([bar / 2, 2 * bar])


def test_a_run_keeps_its_colour_where_another_has_no_bar() -> None:
    svg = bar_chart("t", ["a", "b"], [("recall", [None, Bar(0.5)])])
    assert svg.count("<rect") == 1
    assert "run-1" in svg


def test_charts_can_be_read_without_eyes() -> None:
    svg = bar_chart("Main metrics", ["a"], [("recall", [Bar(0.5, (0.25, 1.0))])])
    assert "<title>Main metrics</title>" in svg
    assert "<desc>recall, a 0.500 (0.250 to 1.000)</desc>" in svg


def test_segments_fill_the_bar_and_small_ones_have_no_number() -> None:
    svg = stacked_chart("t", [("a", [Segment("x", "right", 97), Segment("y", "wrong", 3)])])
    assert percents(svg, "rect", "width") == [97.0, 3.0]
    assert ">97</text>" in svg
    assert ">3</text>" not in svg
    assert "97 right, 3 wrong" in svg


def test_points_lie_by_cost_and_share() -> None:
    svg = scatter_chart("t", "tokens", "accuracy", [Point("a", 500, 0.6), Point("b", 1000, 0.8)])
    assert percents(svg, "circle", "cx") == [50.0, 100.0]
    low, high = (float(y) for y in re.findall(r'cy="([\d.]+)"', svg))
    assert high < low


def test_names_of_close_points_do_not_cover_each_other() -> None:
    points = [Point(name, 500, 0.6) for name in "abc"]
    svg = scatter_chart("t", "tokens", "accuracy", points)
    names = re.findall(r'y="([\d.]+)"[^>]*class="(?:name|value)"', svg)
    heights = sorted(map(float, names))
    assert all(after - before >= 15 for before, after in zip(heights, heights[1:], strict=False))
