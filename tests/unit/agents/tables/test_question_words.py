import pytest

from hoptrail.agents.tables.question_words import WEEKDAY_GROUPS, cell_groups


@pytest.mark.parametrize(
    ("cell", "days"),
    [
        ("Wed-Sat", {"wednesday", "thursday", "friday", "saturday"}),
        ("Sundays – Tuesdays", {"sunday", "monday", "tuesday"}),
        ("Tues. - Thurs.", {"tuesday", "wednesday", "thursday"}),
        ("Wedding - Saturday", {"saturday"}),
        ("Friday - Sunflower", {"friday"}),
    ],
)
def test_a_range_of_weekdays_has_each_of_them(cell: str, days: set[str]) -> None:
    assert cell_groups(cell) & WEEKDAY_GROUPS == days
