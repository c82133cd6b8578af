from __future__ import annotations

import pytest

from hoptrail.agents.language.abbreviations import abbreviations_in


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("OC = on call", "OC", "on call"),
        ("- **N2** = nitrogen.", "N2", "nitrogen"),
        ("OC: on call\nNS: night shift", "NS", "night shift"),
        ("OC\ton call\nNS\tnight shift", "OC", "on call"),
        ("KEY\n\nOC – on call\nHV – home visit", "HV", "home visit"),
        ("The World Health Organization (WHO) met.", "WHO", "World Health Organization"),
        ("Ask the head of human resources (HR).", "HR", "human resources"),
        ("the Royal Society for the Protection of Birds (RSPB)", "RSPB", None),
        ("magnetic resonance imaging (MRI) helps", "MRI", "magnetic resonance imaging"),
    ],
)
def test_what_a_short_form_stands_for_is_found(text: str, short: str, long: str | None) -> None:
    told = {one.short: one for one in abbreviations_in(text)}
    assert told[short].long == (long or "Royal Society for the Protection of Birds")
    assert told[short].long in text[told[short].start : told[short].end]


@pytest.mark.parametrize(
    "text",
    [
        "He went to Denver (USA).",
        "We meet at ten. All came (AB).",
        "NOTE: bring a coat",
        "TEL: 01632 960 700\nFAX: 01632 960 701",
        "Price: ten pounds\nPlace: Alding",
        "the boat (2019) and the shed (B)",
    ],
)
def test_what_is_no_explanation_is_left_alone(text: str) -> None:
    assert abbreviations_in(text) == ()
