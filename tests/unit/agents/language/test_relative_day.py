from datetime import date

import pytest

from hoptrail.agents.language.relative_day import named_day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("See you the day after tomorrow", 15),
        ("We met last night", 12),
        ("last Friday", 8),
        ("last Wednesday", 6),
        ("on Friday", 15),
        ("this Wednesday", 13),
        ("next Friday", 22),
        ("next Monday", 18),
        ("by Tuesday", 19),
    ],
)
def test_words_count_from_the_day_of_writing(text: str, day: int) -> None:
    named = named_day(date(2026, 5, 13), text)
    assert named is not None
    assert named.day == date(2026, 5, day)


@pytest.mark.parametrize(("text", "is_sure"), [("yesterday", True), ("on Friday", False)])
def test_a_weekday_alone_may_be_past_or_to_come(text: str, is_sure: bool) -> None:
    named = named_day(date(2026, 5, 13), text)
    assert named is not None
    assert named.is_sure is is_sure
