from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from hoptrail.core.text import name_key
from hoptrail.retrievers.anchors.named_topics import around_mask, named_topics

ENTITIES = ("Red Fern", "Fern", "Ida Holm", "what", "Ida Holm and the Sea", "O'Neill's Yard")


def find(names: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    known = {name_key(name): (name,) for name in ENTITIES}
    return {name: known[name_key(name)] for name in names if name_key(name) in known}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did Ida Holm act in", [("Ida Holm", "what did X act in")]),
        ("who directed the red fern?", [("Red Fern", "who directed X?")]),
        ("who wrote ida holm and the sea", [("Ida Holm and the Sea", "who wrote X")]),
        ("who runs O'Neill's Yard", [("O'Neill's Yard", "who runs X")]),
        ("what is this", [("what", "X is this")]),
        ("who are you", []),
    ],
)
def test_the_longest_names_are_topics_in_any_case(
    question: str, expected: list[tuple[str, str]]
) -> None:
    found = [(topic.entity_ids[0], topic.masked) for topic in named_topics(question, find)]
    assert found == expected


def test_each_of_several_names_is_a_topic_of_its_own() -> None:
    found = named_topics("did Ida Holm see Red Fern", find)
    assert [topic.masked for topic in found] == ["did X see Red Fern", "did Ida Holm see X"]


def test_the_words_around_a_topic_are_the_nearest_three() -> None:
    masked = "the films that were written by X, were directed by whom"
    assert around_mask(masked) == "were written by X, were directed by"
    assert around_mask("who wrote X") == "who wrote X"
    assert around_mask("no topic at all here") == "no topic at all here"
