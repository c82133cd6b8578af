from __future__ import annotations

import pytest

from hoptrail.agents.language.topic_nouns import defines_thing


@pytest.mark.parametrize(
    "text",
    [
        "Alding Mill is a flour mill in Alding.",
        "Alding is a town on the Arn.",
        "The Tern was a ship built in 1871.",
    ],
)
def test_definition_by_a_noun_of_things_is_of_a_thing(text: str) -> None:
    assert defines_thing(text)


@pytest.mark.parametrize(
    "text",
    [
        "Anna Reed was a film director and screenwriter.",
        "Tom Reed is an actor.",
        "Tom Reed ran the mill.",
    ],
)
def test_person_and_undefined_topic_are_no_things(text: str) -> None:
    assert not defines_thing(text)
