from __future__ import annotations

import pytest

from hoptrail.agents.language.wording_doubt import (
    OTHER_WORDS,
    is_about_wording,
    says_nothing_of,
)


@pytest.mark.parametrize(
    "reserve", [OTHER_WORDS, says_nothing_of("shops"), says_nothing_of("play", "step 2")]
)
def test_a_word_that_is_not_said_is_a_doubt_about_wording(reserve: str) -> None:
    assert is_about_wording(reserve)


@pytest.mark.parametrize(
    "reserve",
    ["no passage was found that states it", says_nothing_of("Kestrane", "the trail"), ""],
)
def test_a_step_that_is_not_stated_is_another_doubt(reserve: str) -> None:
    assert not is_about_wording(reserve)
