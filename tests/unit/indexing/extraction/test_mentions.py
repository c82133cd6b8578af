from __future__ import annotations

import pytest

from hoptrail.core.text import sentence_spans
from hoptrail.indexing.extraction.mention_patterns import Topic
from hoptrail.indexing.extraction.mentions import find_mentions

ROAD = "The long road to the old harbour of the island of Tiny\n"
ROW = "Article: Falcon; Supplier: Tarn Sports; Price GBP: 12.50\n"
SONG = "The Earth is a Sinful Song"


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


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # A name ends with its line, unless it is known from elsewhere.
        ("| Ada Byron\n| Paul Thale", {"Ada Byron", "Paul Thale"}),
        (f"{ROAD}Skerrow was closed. Nobody saw Tiny Skerrow in the rain.", {"Tiny Skerrow"}),
        (f"{ROAD}Skerrow was closed.", set()),
        # An uncommon word is a name wherever it stands.
        ("Skerrow was closed. Brae | Hollin", {"Skerrow", "Brae", "Hollin"}),
        # A title in quotation marks is one name, speech in them is none.
        ('He made "The Earth is a Sinful Song" and "Let It Be".', {SONG, "Let It Be"}),
        ('"Nobody came," he said.', set()),
        # A person in a cell is named in common order.
        ("Thale, Paul            chair            411", {"Paul Thale"}),
        ("She ran at the 1984 Summer Olympics.", {"1984 Summer Olympics"}),
        # A hyphen before a common word ends a name.
        ("It is a Hong Kong-based firm.", {"Hong Kong"}),
        # A number belongs to a name, but a score and a unit do not.
        ("The Pulsa 2 came. They beat Barcelona 3-1.", {"Pulsa 2", "Barcelona"}),
        ("It came after Ripon 90 days.", {"Ripon"}),
        # A participle that opens a clause is no name, a name that looks like one or a word is.
        ("Born in Oslo, it was known.", {"Oslo"}),
        ("Located near Oslo, it was known.", {"Oslo"}),
        ("Written by Oslo, it was known.", {"Oslo"}),
        ("Fred works in Bergen.", {"Fred", "Bergen"}),
        ("They met Rose in Bergen.", {"Rose", "Bergen"}),
        # A numeral ends a name, a pronoun does not.
        ("World War I began.", {"World War I"}),
        ("It was World War I. She wept.", {"World War I"}),
        ("Hey I went to Oslo.", {"Oslo"}),
        ("He ran the North Rail/South Rail.", {"North Rail", "South Rail"}),
        ("See src/Main and 1/2/2020.", set()),
        # The labels of one line alone may be persons, those of a table's rows are its columns.
        (f"{ROW}{ROW}", {"Falcon", "Tarn Sports"}),
        ("Ann Holt: 400 euros; Bo Reed: 300 euros", {"Ann Holt", "Bo Reed"}),
    ],
)
def test_where_a_name_begins_and_ends(text: str, told: set[str]) -> None:
    assert names(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "Subject: pump",
        "Thanks for it. Can't wait!",
        "Although it rained, I'm in.",
        "Deliveries; Payment; Complaints; Making; Well-known",
        "Filter | Seals | Gangway",
        "- Closed\n- Opened",
        "[Illustration: the door]",
        "PREFACE\n\nIT WAS SAID",
        "He said that I came.",
        "at 3 PM",
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
