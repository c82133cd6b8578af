from math import inf

import pytest

from hoptrail.core.tables.interval import Interval, interval_of


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("6-9 m", Interval(6, 9, "m")),
        ("6 to 9 m", Interval(6, 9, "m")),
        ("up to 10", Interval(-inf, 10, "")),
        ("over 12 m", Interval(12, inf, "m")),
        ("65+", Interval(65, inf, "")),
        ("Bay 1", None),
        ("2024", None),
    ],
)
def test_heads_name_intervals(text: str, interval: Interval | None) -> None:
    assert interval_of(text) == interval


def test_where_two_meet_the_lower_one_has_it() -> None:
    assert Interval(6, 9, "m").holds(9)
    assert not Interval(9, 12, "m").holds(9)
