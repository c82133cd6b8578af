from math import inf

import pytest

from hoptrail.core.tables.cell_values import (
    Interval,
    Number,
    day_of,
    has_decimal_comma,
    interval_of,
    is_missing,
    number_of,
    time_of,
)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("£14.20", 14.2, "£"),
        ("1,250", 1250, ""),
        ("1.250,00", 1250, ""),
        ("12,5 %", 12.5, "%"),
        ("(30)", -30, ""),
        ("18.-", 18, ""),
        ("2\u202f130,50", 2130.5, ""),
        ("25 kg", 25, "kg"),
        ("EUR 3", 3, "EUR"),
        ("-4 °C", -4, "°C"),
        ("5 % a day", 5, "% a day"),
    ],
)
def test_numbers_are_read_with_what_stands_around_them(text: str, value: float, unit: str) -> None:
    assert number_of(text) == Number(value, unit)


@pytest.mark.parametrize(
    "text",
    ["A1", "5A", "UK0341", "10-18", "3 x 4", "01632 960114", "03.05.1998", "", "Mon", "33-seater"],
)
def test_codes_ranges_and_dates_are_no_numbers(text: str) -> None:
    assert number_of(text) is None


def test_a_table_tells_which_sign_is_the_decimal_one() -> None:
    assert has_decimal_comma(["1.240", "3,85", "12,40"])
    assert not has_decimal_comma(["1,240", "3.85"])
    assert number_of("1.240", decimal_comma=True) == Number(1240, "")
    assert number_of("1.240") == Number(1.24, "")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("3 May 2024", "2024-05-03"),
        ("03.05.2024", "2024-05-03"),
        ("03/05/24", "2024-05-03"),
        ("2024-05-03 9:30", "2024-05-03 09:30"),
        ("Mon 12 May", "05-12"),
        ("4 Mar", "03-04"),
        ("May 2024", "2024-05"),
        ("août", "08"),
        ("13/31/2024", None),
        ("12 Marble", None),
        ("Mark", None),
    ],
)
def test_days_are_written_so_that_they_sort(text: str, day: str | None) -> None:
    assert day_of(text) == day


def test_the_month_may_stand_first() -> None:
    assert day_of("03/05/2024", month_first=True) == "2024-03-05"
    assert day_of("03/25/2024") == "2024-03-25"


def test_times_are_minutes_since_midnight() -> None:
    assert time_of("9.30") == 570
    assert time_of("4 pm") == 960
    assert time_of("30:00") == 1800
    assert time_of("10:75") is None
    assert time_of("four") is None


def test_signs_of_nothing_are_no_values() -> None:
    assert all(map(is_missing, ["", "-", "–", "n/a", "tbc", "?"]))
    assert not is_missing("none")


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
