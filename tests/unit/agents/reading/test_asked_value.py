from __future__ import annotations

import pytest

from hoptrail.agents.reading.asked_value import asked_value
from hoptrail.agents.reading.values import Value, find_values


def fit(question: str, text: str, value: str, label: str = "") -> float:
    found = next(one for one in find_values(text) if one.text == value)
    return asked_value(question).fit(found, text, label)


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("How much does a wheel weigh?", "A wheel has 6.5 kg.", "6.5 kg"),
        ("What is the rent?", "Rent is EUR 780 a month.", "EUR 780 a month"),
        ("How long was the outage?", "It took 3 h 42 min.", "3 h 42 min"),
        ("When did it open?", "It opened on 14 March 2023.", "14 March 2023"),
        ("In what year did it open?", "It opened in 1921.", "1921"),
        ("At what time does it close?", "It closes at 16:40.", "16:40"),
        ("How many cars fit on her?", "Room for 18 cars.", "18"),
        ("How high is the monthly rent?", "The rent is £640.", "£640"),
        ("How large is the hall?", "It has 840 m².", "840 m²"),
        ("In which postcode is the hall?", "York YO10 4QB", "YO10 4QB"),
        ("To which IBAN do we pay?", "GB33 BUKB 2020 1555 5555 55", "GB33 BUKB 2020 1555 5555 55"),
        ("What is the extension of the shop?", "Shop: ext. 264", "264"),
    ],
)
def test_value_of_the_asked_kind_fits(question: str, text: str, value: str) -> None:
    assert fit(question, text, value) == 1.0


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("How much does a wheel weigh?", "It costs €12.", "€12"),
        ("When did it open?", "It has 18 rooms.", "18"),
        ("Who designed it?", "It opened in 1921.", "1921"),
        ("Who designed it?", "It stands in Mill Lane.", "Mill Lane"),
        ("What is the extension of the shop?", "We ordered 264 pumps.", "264"),
        ("In what year did it open?", "It opened on 14 March.", "14 March"),
    ],
)
def test_value_of_another_kind_does_not_fit(question: str, text: str, value: str) -> None:
    assert fit(question, text, value) <= -0.4


def test_label_tells_the_unit_of_a_bare_number() -> None:
    assert fit("What is the price of it?", "price: 12.50", "12.50", "price") > 0.8


@pytest.mark.parametrize(
    ("question", "label"),
    [("What does a bike pay?", "bike EUR"), ("What is the fee for a term?", "fee (GBP)")],
)
def test_label_with_a_currency_makes_a_price_of_its_number(question: str, label: str) -> None:
    assert fit(question, f"{label}: 4.50", "4.50", label) > 0.8


def test_how_old_somebody_is_is_told_in_years() -> None:
    text = "Volunteers are 18 years old and do two half days."
    assert fit("How old must volunteers be?", text, "18 years") > 0.8
    assert fit("How old must volunteers be?", text, "two") < 0.8


def test_a_price_in_the_description_of_what_is_asked_for_is_not_what_is_asked() -> None:
    asked = asked_value("Which boat has a price of £20 a night?")
    assert asked.measures == frozenset()


def test_a_phone_number_is_asked_for_by_its_use() -> None:
    text = "Office: 01632 960 417"
    assert fit("Which number should I ring for the office?", text, "01632 960 417") == 1.0


def test_words_behind_a_label_fit_where_the_label_is_asked_for() -> None:
    cell = Value("tenor horn", 12, 22, "cell")
    row = "instrument: tenor horn; deposit: 65"
    assert asked_value("Which instrument has a deposit of 65?").fit(cell, row, "instrument") == 1.0
    assert asked_value("Which instrument has a deposit of 65?").fit(cell, row, "kept at") < 0
    assert asked_value("How much is the deposit?").fit(cell, row, "instrument") < 0


def test_person_fits_a_question_for_who() -> None:
    assert fit("Who designed it?", "It was drawn by Tove Ranhild.", "Tove Ranhild") > 0.8


@pytest.mark.parametrize(
    ("question", "answer", "admitted"),
    [
        ("What is the price?", "EUR", False),
        ("What is the price?", "five", False),
        ("What is the price?", "12.50", True),
        ("When did it open?", "Mill Lane", False),
        ("Who opened it?", "October", False),
        ("What is her phone number?", "Grace", False),
        ("Who opened it?", "Mira Solberg", True),
    ],
)
def test_answer_of_another_kind_is_not_admitted(question: str, answer: str, admitted: bool) -> None:
    assert asked_value(question).admits(answer) is admitted


def test_number_of_letters_and_digits_fits_where_its_name_stands_before_it() -> None:
    assert fit("What is the policy number?", "The policy number is NM-44821.", "NM-44821") == 1.0


def test_firm_behind_by_may_be_who_did_it() -> None:
    text = "The pump was repaired by Orrin & Sons in May."
    assert fit("Who repaired the pump?", text, "Orrin & Sons") >= 0.5
    assert fit("Which person repaired the pump?", text, "Orrin & Sons") < 0
