from __future__ import annotations

import pytest

from hoptrail.core.node_names import is_unnamed, predicate_words


@pytest.mark.parametrize("name", ["", "m.0abc", "g.11b_x", "m.0x_", "/m/0abc", "/g/1"])
def test_machine_ids_and_empty_names_are_no_names(name: str) -> None:
    assert is_unnamed(name)


@pytest.mark.parametrize("name", ["m.i.a.", "M.0ABC", "g.", "m.0abc d", "mg.0", "jamaica", "m"])
def test_other_names_are_names(name: str) -> None:
    assert not is_unnamed(name)


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ("people.person.place_of_birth", "people person place of birth"),
        ("birthPlace", "birth Place"),
        ("rdf-schema#range", "rdf schema range"),
        ("wird_geführt_von", "wird geführt von"),
        ("出生地", "出生地"),
        ("born in", "born in"),
        ("->", "->"),
    ],
)
def test_a_predicate_reads_as_words(predicate: str, words: str) -> None:
    assert predicate_words(predicate) == words
