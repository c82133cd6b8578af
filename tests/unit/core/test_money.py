from __future__ import annotations

import pytest

from hoptrail.core.money import cost, dollars


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0.0, "$0"),
        (0.00000123, "$0.0000012"),
        (0.0026, "$0.0026"),
        (0.05, "$0.050"),
        (0.26, "$0.26"),
        (26.426, "$26.43"),
        (1234.5, "$1,234.50"),
    ],
)
def test_what_costs_something_is_shown_with_two_digits_that_tell(usd: float, text: str) -> None:
    assert dollars(usd) == text


@pytest.mark.parametrize(
    ("usd", "unpriced_calls", "text"),
    [
        (0.0, 0, "$0"),
        (0.26, 0, "$0.26"),
        (0.0, 3, "price unknown"),
        (0.26, 3, "$0.26 and calls of unknown price"),
    ],
)
def test_calls_of_an_unknown_price_are_never_free(
    usd: float, unpriced_calls: int, text: str
) -> None:
    assert cost(usd, unpriced_calls) == text
