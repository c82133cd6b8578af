from __future__ import annotations

import pytest

from hoptrail.agents.verification.same_answer import are_same_answers, is_same_answer


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Boathouse", "boathouse"),
        ("62", "62 euros a day"),
        ("Ms Edda Thorn, the founder", "Edda Thorn"),
    ],
)
def test_answers_that_differ_in_what_stands_around_them_are_the_same(one: str, other: str) -> None:
    assert is_same_answer(one, other)
    assert is_same_answer(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("62", "620"),
        ("Edda Thorn", "Nils Thorn"),
        ("Edda Thorn", ""),
        ("1871", "The yard was founded by Edda Thorn and built its first ship in the year 1871"),
    ],
)
def test_other_answers_are_told_apart(one: str, other: str) -> None:
    assert not is_same_answer(one, other)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [("nine sacks", "9", True), ("two hundred", "2", False), ("one hundred and five", "5", False)],
)
def test_a_number_in_words_is_the_same_in_digits(one: str, other: str, is_same: bool) -> None:
    assert is_same_answer(one, other) == is_same


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("95 minutes", "95 min", True),
        ("1.2 kg", "1,200 g", True),
        ("£14,200", "£14200", True),
        ("95 minutes", "95 metres", False),
        ("4 May 1931", "4 June 1931", False),
    ],
)
def test_an_amount_is_the_same_in_another_unit(one: str, other: str, is_same: bool) -> None:
    assert is_same_answer(one, other) == is_same


@pytest.mark.parametrize(
    ("ones", "others", "are_same"),
    [
        (("Yusuf Dale", "Ella Brook"), ("Ella Brook", "Mr Yusuf Dale"), True),
        (("Yusuf Dale, Ella Brook",), ("Yusuf Dale", "Ella Brook"), True),
        (("Yusuf Dale",), ("Yusuf Dale", "Ella Brook"), False),
        (("Yusuf Dale", "Yusuf Dale"), ("Yusuf Dale", "Ella Brook"), False),
        ((), ("Yusuf Dale",), False),
    ],
)
def test_a_part_of_several_answers_is_another_answer(
    ones: tuple[str, ...], others: tuple[str, ...], are_same: bool
) -> None:
    assert are_same_answers(ones, others) == are_same
