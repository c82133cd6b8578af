from __future__ import annotations

import pytest

from hoptrail.agents.verification.claim_ends import (
    holds_several_values,
    splits_name,
    tells_of_name_between,
)
from hoptrail.core.types.draft import HopClaim


@pytest.mark.parametrize("text", ["80 31.00 2,480.00", "4 £9.50 £38.00", "12 14,50"])
def test_a_row_of_numbers_is_no_value(text: str) -> None:
    assert holds_several_values(text)


@pytest.mark.parametrize(
    "text", ["18 400", "01234 567 890", "£2,480.00", "12 May 2024", "2 at £9.50", "10 000,50 €"]
)
def test_one_value_is(text: str) -> None:
    assert not holds_several_values(text)


@pytest.mark.parametrize(
    ("predicate", "object_", "text"),
    [
        ("Sabine", "Ferraro", "Sabine Ferraro"),
        ("Sabine", "Ferraro", "Sabine Ferraro leads the tours."),
        ("River", "Cam", "River Cam"),
    ],
)
def test_a_part_of_a_name_is_no_label(predicate: str, object_: str, text: str) -> None:
    assert splits_name(HopClaim("Team", predicate, object_), text)


@pytest.mark.parametrize(
    ("predicate", "object_", "text"),
    [
        ("Chair", "Ann Holt", "Chair Ann Holt"),
        ("Phone", "01234", "Phone 01234"),
        ("is", "Ferraro", "Sabine is Ferraro"),
        ("Sabine", "Ferraro", "Sabine: Ferraro"),
    ],
)
def test_a_label_is(predicate: str, object_: str, text: str) -> None:
    assert not splits_name(HopClaim("Team", predicate, object_), text)


def test_a_clause_about_a_name_in_the_predicate_is_not_about_the_subject() -> None:
    assert tells_of_name_between("is in Corbel County, which has the")
    assert not tells_of_name_between("is the county which has the")
