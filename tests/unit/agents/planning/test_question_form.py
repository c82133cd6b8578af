from __future__ import annotations

import pytest

from hoptrail.agents.planning.question_form import mask_names, wording_cues


@pytest.mark.parametrize(
    ("question", "masked"),
    [
        ("Who is older, Ida Holm or Per Krogh?", "Who is older, X or X?"),
        ("Are Red Fern and Blue Moss both films?", "Are X and X both films?"),
        ("Who led the  University of Northern Oslo in 1931?", "Who led the X in X?"),
        ("Red Fern (1931 film) was shot where?", "X was shot where?"),
        ("who is older, ida holm or per krogh?", "who is older, ida holm or per krogh?"),
        ("", ""),
    ],
)
def test_names_are_masked(question: str, masked: str) -> None:
    assert mask_names(question) == masked


def test_questions_that_differ_in_names_alone_give_equal_cues() -> None:
    first = wording_cues(mask_names("Who is older, Ida Holm or Per Krogh?"))
    second = wording_cues(mask_names("Who is older, Max Or or Both Same?"))
    assert first.any()
    assert first.tolist() == second.tolist()


@pytest.mark.parametrize(
    ("text", "cue"),
    [("Why did X fall?", 7), ("How does X differ?", 7), ("Who is the stepchild of X?", 8)],
)
def test_what_is_concluded_is_told_from_what_is_looked_up(text: str, cue: int) -> None:
    assert wording_cues(text)[cue] == 1
    assert wording_cues("How many songs did X write?")[cue] == 0
