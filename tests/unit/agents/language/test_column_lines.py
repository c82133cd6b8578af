from __future__ import annotations

import pytest

from hoptrail.agents.language.column_lines import column_line, days_of


@pytest.mark.parametrize(
    ("line", "head", "cells"),
    [
        ("Mon-Fri   9-17", "Mon-Fri", ["9-17"]),
        ("Saturday .... 10 to 14", "Saturday", ["10 to 14"]),
        ("Sat: 10-14", "Sat", ["10-14"]),
        ("Adult ........ 6.50 euros", "Adult", ["6.50 euros"]),
        ("Saturday      8-12           13-18", "Saturday", ["8-12", "13-18"]),
    ],
)
def test_gaps_and_dots_divide_a_line_into_columns(line: str, head: str, cells: list[str]) -> None:
    columns = column_line(line)

    assert columns is not None
    assert columns.head == head
    assert [line[start:end] for start, end in columns.cells] == cells


@pytest.mark.parametrize(
    "line", ["The pool is open.", "12   14", "Opening hours", "One.  Two\nlines"]
)
def test_ordinary_lines_have_no_columns(line: str) -> None:
    assert column_line(line) is None


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Mon-Wed", {0, 1, 2}),
        ("Saturdays", {5}),
        ("Sat & Sun", {5, 6}),
        ("Fri to Mon", {4, 5, 6, 0}),
        ("Tues, Thu", {1, 3}),
        ("Monday school", set()),
        ("Adult", set()),
    ],
)
def test_days_are_read_with_those_between(text: str, days: set[int]) -> None:
    assert days_of(text) == days
