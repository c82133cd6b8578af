"""The forms of a word that a base has, by language."""

from __future__ import annotations

import numpy as np
import pytest

from hoptrail.retrievers.text.word_forms import word_forms

WORDS = np.array(
    sorted(["lok", "lokomotive", "lokomotiven", "lohn", "réunion", "réunions", "清河"])
)


def found(term: str, language: str) -> list[str]:
    return [str(WORDS[row]) for row in word_forms(WORDS, term, language)]


def test_singular_and_plural_are_forms_of_one_word() -> None:
    assert found("lokomotive", "de") == ["lokomotive", "lokomotiven"]


@pytest.mark.parametrize("term", ["reunion", "réunions"])
def test_accents_make_no_other_word(term: str) -> None:
    assert found(term, "fr") == ["réunion", "réunions"]


def test_a_pair_of_characters_is_its_only_form() -> None:
    assert found("清河", "zh") == ["清河"]


def test_a_word_that_no_passage_has_has_no_forms() -> None:
    assert found("zug", "de") == []
