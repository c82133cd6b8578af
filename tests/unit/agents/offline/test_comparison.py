from __future__ import annotations

import pytest

from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.offline.comparison import value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18,00", 18.0),
        ("9,5 kg", 9.5),
        ("1.234,50 euros", 1234.5),
        ("1,234", 1234.0),
        ("1,234,567", 1234567.0),
        ("1,234.50", 1234.5),
        ("2.5 million", 2_500_000.0),
        ("18", 18.0),
    ],
)
def test_number_is_read_with_either_decimal_sign(text: str, value: float) -> None:
    assert value_of(Mention(text, text, 0, len(text), "number")) == (value,)


def test_date_is_read_as_year_month_and_day() -> None:
    assert value_of(Mention("", "3 June 1901", 0, 11, "date")) == (1901.0, 6.0, 3.0)
