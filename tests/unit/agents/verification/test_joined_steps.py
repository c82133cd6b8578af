"""Whether the steps of a trail join."""

from __future__ import annotations

from dataclasses import replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.verification.joined_steps import unjoined
from hoptrail.core.types import Evidence, TrailHop

INDEX = EvidenceIndex(Evidence())


def steps(*claims: tuple[str, str, str]) -> list[TrailHop]:
    return [
        TrailHop(number, " ".join(claim), *claim, support="stated")
        for number, claim in enumerate(claims, 1)
    ]


def told(*claims: tuple[str, str, str], answers: tuple[str, ...], is_derived: bool = False) -> bool:
    return unjoined(steps(*claims), answers, INDEX, is_derived=is_derived) is None


def test_steps_join_through_a_thing_that_both_name() -> None:
    assert told(
        ("Regatta", "is run by", "Jonas Pell"), ("Pell, Jonas", "lives in", "Rye"), answers=("Rye",)
    )


def test_steps_of_two_organisations_that_share_no_thing_do_not() -> None:
    found = steps(("Regatta", "is run by", "Jonas Pell"), ("Spelt loaf", "costs", "4.20"))
    reserve = unjoined(found, ["4.20"], INDEX, is_derived=False)
    assert reserve == "no passage states what joins step 2 to the others in so many words"


def test_several_answers_stand_each_for_itself() -> None:
    assert told(("Ann", "sails", "Tern"), ("Bo", "rows", "Gull"), answers=("Tern", "Gull"))


def test_the_two_that_are_compared_share_nothing() -> None:
    sides = ("Elm Hall", "seats", "90"), ("Birch Inn", "seats", "70")
    assert told(*sides, answers=("Elm Hall",), is_derived=True)


def test_what_is_summed_is_told_in_the_same_words() -> None:
    rows = ("Halden", "staff", "34"), ("Ostfeld", "staff", "12"), ("Rye", "staff", "3")
    assert told(*rows, answers=("49",), is_derived=True)


def test_a_name_that_only_describes_a_noun_joins_nothing() -> None:
    first, second = steps(
        ("Jon Vik", "is", "American"), ("American", "sitcom produced by", "Tarn Films")
    )
    quoted = [
        replace(first, quote="Jon Vik is an American."),
        replace(second, quote="It is an American sitcom that was produced by Tarn Films."),
    ]
    assert unjoined([first, second], ["Tarn Films"], INDEX, is_derived=False) is None
    assert unjoined(quoted, ["Tarn Films"], INDEX, is_derived=False) is not None
