from __future__ import annotations

import pytest

from hoptrail.agents.language.number_words import in_digits


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("nine sacks", "9 sacks"),
        ("Twenty-four votes to one", "24 votes to one"),
        ("No one came", "No one came"),
        ("one hundred and five", "one hundred and five"),
        ("fifty two", "52"),
        ("seventeen", "17"),
        ("Often, someone phones the tenant", "Often, someone phones the tenant"),
        ("11 sacks", "11 sacks"),
    ],
)
def test_whole_numbers_of_two_to_ninety_nine_are_written_in_digits(text: str, digits: str) -> None:
    assert in_digits(text) == digits
