from __future__ import annotations

import pytest

from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import KnownNames, find_mentions, kind_of, known_names
from hoptrail.agents.language.quantities import value_of


def test_mentions_do_not_overlap_and_keep_their_order() -> None:
    text = "On 3 May 1921 Ida Holm of Varde Bridge Works sold 12 boats."
    found = find_mentions(text, KnownNames(["ida holm", "varde", "varde bridge works"]))
    assert [(mention.text, mention.kind) for mention in found] == [
        ("3 May 1921", "date"),
        ("Ida Holm", "entity"),
        ("Varde Bridge Works", "entity"),
        ("12", "number"),
    ]
    assert all(text[mention.start : mention.end] == mention.text for mention in found)


def test_a_comma_behind_a_number_is_none_of_it() -> None:
    found = find_mentions("They paid £6, then £1,450.50.", KnownNames([]))
    assert [mention.text for mention in found] == ["£6", "£1,450.50"]


def test_common_word_is_a_name_only_with_a_capital() -> None:
    known = KnownNames(["brand"])
    assert known_names("Who wrote Brand?", known)
    assert not known_names("Who made this Swedish brand?", known)
    assert known_names("who wrote brand?", known)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("3 May 1921", "date"),
        ("1921", "date"),
        ("1990s", "date"),
        ("23,000 inhabitants", "number"),
        ("412 kilometres", "number"),
        ("3 Idiots", "entity"),
        ("Ida Holm", "entity"),
    ],
)
def test_kind_of_a_name(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("May 3, 1921", (1921, 5, 3)),
        ("3 May 1921", (1921, 5, 3)),
        ("1898", (1898, 0, 0)),
        ("1.5 million", (1_500_000,)),
        ("23,000 inhabitants", (23_000,)),
        ("dozen", None),
    ],
)
def test_quantities_become_comparable(text: str, value: tuple[float, ...] | None) -> None:
    (mention, *_) = find_mentions(text, KnownNames([text.lower()] if "inhab" in text else []))
    assert value_of(mention) == value


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Who founded the University of Varde?", ["University of Varde"]),
        ("Where is Ida Holm's house?", ["Ida Holm"]),
        ('Who sang "the long road" in Varde?', ["the long road", "Varde"]),
        ("Which river is longest?", []),
        ("What did J. R. Holm write?", ["J. R. Holm"]),
    ],
)
def test_proper_names_of_a_question(text: str, names: list[str]) -> None:
    assert proper_names(text) == names


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Ring 01632 960 214 after six.", "01632 960 214"),
        ("Write to ann.holt@mill.example soon.", "ann.holt@mill.example"),
        ("Pay to GB33 BUKB 2020 1555 5555 55 now.", "GB33 BUKB 2020 1555 5555 55"),
        ("12 Mill Road, York YO10 4QB", "YO10 4QB"),
        ("It costs £38 per person and night.", "£38 per person and night"),
        ("It weighs 19 kg.", "19 kg"),
        ("A hall of 840 m² is let.", "840 m²"),
    ],
)
def test_a_value_is_taken_whole(text: str, whole: str) -> None:
    found = [(one.text, one.kind) for one in find_mentions(text, KnownNames([]))]
    assert (whole, "number") in found


def test_a_date_without_signs_is_a_date() -> None:
    assert kind_of("20260425") == "date"
    assert kind_of("20261325") == "number"


def test_a_town_before_its_postcode_is_a_name() -> None:
    found = find_mentions("12 Mill Road, York YO10 4QB", KnownNames([]))
    assert [one.text for one in found if one.kind == "name"] == ["Mill Road", "York"]
