"""Common words by language, from jusText's lists."""

from __future__ import annotations

import pytest

from hoptrail.core.language.stop_words import function_words, stop_words


@pytest.mark.parametrize(
    ("language", "word"), [("de", "und"), ("fr", "les"), ("ar", "من"), ("nb", "og"), ("pl", "nie")]
)
def test_a_language_has_its_common_words(language: str, word: str) -> None:
    assert word in function_words(language)


def test_function_words_are_the_first_of_the_common_ones() -> None:
    assert function_words("de") < stop_words("de")


@pytest.mark.parametrize("language", ["zh", "und", "xx", ""])
def test_a_language_without_list_has_none(language: str) -> None:
    assert stop_words(language) == frozenset()
