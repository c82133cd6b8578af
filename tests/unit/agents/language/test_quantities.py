from __future__ import annotations

import pytest

from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.quantities import Quantity, quantity_of, value_of


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


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("1.2 kg", Quantity(1200.0, "g")),
        ("18,000 pounds a year", Quantity(18000.0, "pound a year")),
        ("£2.5 million", Quantity(2_500_000.0, "£")),
        ("3 weeks", Quantity(1_814_400.0, "s")),
        ("2 h 10 min", None),
        ("a few", None),
    ],
)
def test_amount_is_read_in_the_base_unit_of_its_kind(text: str, quantity: Quantity | None) -> None:
    assert quantity_of(text) == quantity


@pytest.mark.parametrize(
    ("one", "other", "is_comparable"),
    [
        ("1.2 km", "900 m", True),
        ("22", "30 passengers", True),
        ("22", "30 kg", False),
        ("22 pounds", "30 euros", False),
    ],
)
def test_amounts_of_different_kinds_are_not_compared(
    one: str, other: str, is_comparable: bool
) -> None:
    amounts = quantity_of(one), quantity_of(other)
    assert amounts[0] is not None
    assert amounts[1] is not None
    assert amounts[0].is_comparable(amounts[1]) is is_comparable
