from __future__ import annotations

import pytest

from hoptrail.core.text import sentence_spans
from hoptrail.indexing.extraction.mention_patterns import Topic
from hoptrail.indexing.extraction.mentions import find_mentions


def found(text: str, title: str = "") -> dict[str, str]:
    sentences = find_mentions(text, sentence_spans(text), Topic.of(title))
    return {mention.name: mention.kind for mentions in sentences for mention in mentions}


def names(text: str) -> set[str]:
    return {name for name, kind in found(text).items() if kind == "name"}


def test_values_have_their_kind() -> None:
    text = "It met on 12 May 1999 at 10:22 AM, cost $3.5 million and 40 km; see a@b.org, www.b.org."
    assert found(text) == {
        "12 May 1999": "date",
        "10:22 AM": "time",
        "$3.5 million": "money",
        "40 km": "number",
        "a@b.org": "mail",
        "www.b.org": "url",
    }


@pytest.mark.parametrize(
    ("text", "amount", "kind"),
    [
        ("Name: Rye loaf; Price: 4.20", "4.20", "money"),
        ("Name: Rye loaf; Fee (child): 4.20; Opens: 9.30", "4.20", "money"),
        ("A rye loaf costs 4.20 EUR.", "4.20 EUR", "money"),
        ("A rye loaf costs 4.20 euros.", "4.20 euros", "number"),
        ("Opens: 9.30", "9.30", "time"),
        ("It opens at 9.30, said the baker.", "9.30", "time"),
    ],
)
def test_a_price_is_no_time_of_day(text: str, amount: str, kind: str) -> None:
    assert found(text)[amount] == kind


def test_a_comma_behind_an_amount_is_none_of_it() -> None:
    assert found("It cost £6, and 1,450 kg, in all.") == {"£6": "money", "1,450 kg": "number"}


def test_days_and_months_are_dates() -> None:
    assert found("They met on Saturdays in June.") == {"Saturdays": "date", "June": "date"}


def test_a_name_ends_with_its_line() -> None:
    assert names("| Ada Byron\n| Paul Thale") == {"Ada Byron", "Paul Thale"}


def test_a_name_that_a_line_parts_is_known_from_elsewhere() -> None:
    text = (
        "The long road to the old harbour of the island of Tiny\n"
        "Skerrow was closed. Nobody saw Tiny Skerrow in the rain."
    )
    assert names(text) == {"Tiny Skerrow"}


def test_halves_of_an_unknown_name_are_left_out() -> None:
    text = "The long road to the old harbour of the quiet island of Tiny\nSkerrow was closed."
    assert names(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Subject: pump",
        "Thanks for it. Can't wait!",
        "Delivery; Payment; Complaints",
        "Filter | Seals | Gangway",
        "- Closed\n- Opened",
        "[Illustration: the door]",
        "PREFACE\n\nIT WAS SAID",
        "He said that I came.",
        "at 3 PM",
    ],
)
def test_labels_cells_headings_and_common_words_are_no_names(text: str) -> None:
    assert names(text) == set()


def test_an_uncommon_word_is_a_name_wherever_it_stands() -> None:
    assert names("Skerrow was closed. Brae | Hollin") == {"Skerrow", "Brae", "Hollin"}


def test_a_title_in_quotation_marks_is_one_name() -> None:
    assert names('He made "The Earth is a Sinful Song" and "Let It Be".') == {
        "The Earth is a Sinful Song",
        "Let It Be",
    }


def test_speech_in_quotation_marks_is_none() -> None:
    assert names('"Nobody came," he said.') == set()


def test_a_person_in_a_cell_is_named_in_common_order() -> None:
    assert names("Thale, Paul            chair            411") == {"Paul Thale"}


def test_an_edition_keeps_its_year() -> None:
    assert names("She ran at the 1984 Summer Olympics.") == {"1984 Summer Olympics"}


def test_a_hyphen_before_a_common_word_ends_a_name() -> None:
    assert names("It is a Hong Kong-based firm.") == {"Hong Kong"}


def test_a_number_belongs_to_a_name_but_a_score_and_a_unit_do_not() -> None:
    assert names("The Pulsa 2 came. They beat Barcelona 3-1 after Ripon 90 days.") == {
        "Pulsa 2",
        "Barcelona",
        "Ripon",
    }


@pytest.mark.parametrize("opening", ["Born in", "Located near", "Written by"])
def test_a_participle_that_opens_a_clause_is_no_name(opening: str) -> None:
    assert names(f"{opening} Oslo, it was known.") == {"Oslo"}


def test_a_name_that_looks_like_a_participle_is_a_name() -> None:
    assert names("Fred works in Bergen.") == {"Fred", "Bergen"}


@pytest.mark.parametrize("text", ["World War I began.", "It was World War I. She wept."])
def test_a_numeral_ends_a_name(text: str) -> None:
    assert names(text) == {"World War I"}


def test_a_pronoun_ends_no_name() -> None:
    assert names("Hey I went to Oslo.") == {"Oslo"}


def test_names_that_a_slash_joins_are_two() -> None:
    assert names("He ran the North Rail/South Rail.") == {"North Rail", "South Rail"}


def test_a_part_of_a_path_is_no_name() -> None:
    assert names("See src/Main and 1/2/2020.") == set()


def test_the_names_of_a_tables_columns_are_no_names() -> None:
    row = "Article: Falcon; Supplier: Tarn Sports; Price GBP: 12.50\n"
    assert names(row * 2) == {"Falcon", "Tarn Sports"}


def test_persons_who_stand_as_labels_of_one_line_stay_names() -> None:
    assert names("Ann Holt: 400 euros; Bo Reed: 300 euros") == {"Ann Holt", "Bo Reed"}


@pytest.mark.parametrize(
    "text",
    [
        "Boil 500 g of plums.",
        "E-mail us at noon.",
        "Fourteen came.",
        "Similar to that.",
        "- callback {function} Wiggled when it ends, as one wiggled",
        "x() // Clicked, as one clicked",
    ],
)
def test_a_capital_that_its_place_explains_makes_no_name(text: str) -> None:
    assert names(text) == set()


def test_phone_numbers_codes_and_dates_without_signs_are_values() -> None:
    text = "From 20250328: ring 01632 960 214, York YO10 4QB, GB33 BUKB 2020 1555 5555 55."
    assert found(text) == {
        "20250328": "date",
        "01632 960 214": "phone",
        "York": "name",
        "YO10 4QB": "code",
        "GB33 BUKB 2020 1555 5555 55": "code",
    }
