from __future__ import annotations

import pytest

from hoptrail.agents.language.reserves import (
    ASKED,
    is_about_wording,
    is_of_other_thing,
    other_thing,
    silent,
    unstated,
)


@pytest.mark.parametrize("reserve", [unstated(ASKED), silent("shops"), silent("play", "step 2")])
def test_a_word_that_is_not_said_is_a_doubt_about_wording(reserve: str) -> None:
    assert is_about_wording(reserve)


@pytest.mark.parametrize(
    "reserve",
    [unstated("step 2"), silent("Kestrane", "the trail"), ""],
)
def test_a_step_that_is_not_stated_is_another_doubt(reserve: str) -> None:
    assert not is_about_wording(reserve)


def test_a_passage_about_another_thing_than_the_asked_one_is_known_by_its_reserve() -> None:
    assert is_of_other_thing(other_thing('"Nivo"', '"Nivo Mini"'))
    assert not is_of_other_thing(other_thing('"the barn"'))
