from __future__ import annotations

import pytest

from hoptrail.agents.language.common_words import is_common, is_opener, names_nothing_alone


@pytest.mark.parametrize("word", ["delivery", "Deliveries", "stopped", "Making", "Well-known"])
def test_regular_forms_of_a_common_word_are_common(word: str) -> None:
    assert is_common(word)


@pytest.mark.parametrize("word", ["Skerrow", "Oslo", "Jennifer", "K-2104"])
def test_other_words_are_not(word: str) -> None:
    assert not is_common(word)


@pytest.mark.parametrize("word", ["Although", "I'm", "Can’t", "Thanks"])
def test_no_name_begins_with_a_function_word_or_greeting(word: str) -> None:
    assert is_opener(word)


def test_a_noun_may_begin_a_name() -> None:
    assert not is_opener("Royal")


@pytest.mark.parametrize("word", ["Similar", "Required", "Indicates", "Automatically"])
def test_some_words_are_no_name_on_their_own(word: str) -> None:
    assert names_nothing_alone(word)


@pytest.mark.parametrize("word", ["Mark", "Rose", "Hunter", "Grant", "Rabbit"])
def test_a_word_that_may_be_a_name_is_none_of_these(word: str) -> None:
    assert not names_nothing_alone(word)
