"""Pairs of answers that must match by value, and pairs that must not."""

from __future__ import annotations

import pytest

from hoptrail.eval.metrics.same_value import same_value

MATCHING = [
    ("1898; 1959", "1898 and 1959"),
    ("1959, 1898", "1898 and 1959"),
    ("1898 & 1959", "1898; 1959"),
    ("1200", "1,200"),
    ("12", "twelve"),
    ("Twenty-one", "21"),
    ("two hundred and five", "205"),
    ("3 million", "3,000,000"),
    ("2.5 thousand", "2500"),
    ("1.50", "1.5"),
    ("50 %", "50 percent"),
    ("50 per cent", "50%"),
    ("$5", "5 dollars"),
    ("12 km", "12 kilometres"),
    ("in 1898", "1898"),
    ("12 March 1898", "March 12, 1898"),
    ("12th of March, 1898", "12 March 1898"),
    ("1898-03-12", "12 March 1898"),
    ("Mar 1898", "March 1898"),
    ("March 12, 1898 and 4 May 1959", "4 May 1959; 12 March 1898"),
    ("The Beatles", "Beatles"),
    ("Simon & Garfunkel", "Simon and Garfunkel"),
    ("Paris.", "paris"),
]
DIFFERENT = [
    ("1898", "1898 and 1959"),
    ("1898; 1959; 1960", "1898 and 1959"),
    ("1898", "1899"),
    ("3.5", "35"),
    ("12 km", "12 miles"),
    ("12 km", "12"),
    ("-5", "5"),
    ("$5", "5 euros"),
    ("1,200", "1, 200"),
    ("3 million", "3 billion"),
    ("1898", "12 March 1898"),
    ("March 1898", "12 March 1898"),
    ("12 March 1898", "12 May 1898"),
    ("03/04/1898", "1898-04-03"),
    ("Anna Berg", "Berg"),
    ("Rome", "Paris"),
    ("", "Paris"),
    ("", ""),
]


@pytest.mark.parametrize(("answer", "gold"), MATCHING)
def test_two_spellings_of_a_value_match_in_both_directions(answer: str, gold: str) -> None:
    assert same_value(answer, ((gold,),))
    assert same_value(gold, ((answer,),))


@pytest.mark.parametrize(("answer", "gold"), DIFFERENT)
def test_two_values_never_match(answer: str, gold: str) -> None:
    assert not same_value(answer, ((gold,),))
    assert not same_value(gold, ((answer,),))


def test_a_nationality_is_its_country_where_the_question_asks_for_one() -> None:
    asked = "What nationality is the director of the film?"
    assert same_value("French", (("France",),), asked)
    assert same_value("the United States", (("American",),), asked)
    assert same_value("German and Swiss", (("Switzerland",), ("Germany",)), asked)
    assert same_value("Trinidadian", (("Trinidad and Tobago",),), asked)
    assert not same_value("French", (("Belgium",),), asked)
    assert not same_value("Freedonian", (("Freedonia",),), asked)


def test_a_nationality_is_no_country_where_the_question_asks_for_something_else() -> None:
    assert not same_value("French", (("France",),), "Which language is spoken there?")


def test_any_accepted_form_of_an_answer_will_do() -> None:
    assert same_value("12", (("a dozen", "twelve"),))


def test_a_set_of_gold_answers_asks_for_every_one_and_no_more() -> None:
    gold = (("1898",), ("Nineteen fifty", "1950"))
    assert same_value("1950; 1898", gold)
    assert not same_value("1898", gold)
    assert not same_value("1950; 1898; 2000", gold)


def test_a_gold_answer_with_a_joining_word_is_one_of_a_set() -> None:
    gold = (("Simon and Garfunkel",), ("Oasis",))
    assert same_value("Oasis; Simon and Garfunkel", gold)
    assert not same_value("Oasis; Simon", gold)
