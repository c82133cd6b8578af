"""Stems bring the forms of a word together, without accents."""

from __future__ import annotations

import pytest

from hoptrail.core.language.stems import content_stems, shared_prefixes, stemmer_of


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "lokomotive", "lokomotiven"),
        ("fr", "présidente", "president"),
        ("es", "reunión", "reunion"),
        ("it", "fabbrica", "fabbriche"),
        ("nl", "boek", "boeken"),
        ("pl", "fabryka", "fabryki"),
        ("ru", "завод", "завода"),
    ],
)
def test_forms_of_a_word_have_one_stem(language: str, one: str, other: str) -> None:
    stem = stemmer_of(language)
    assert stem(one) == stem(other)


def test_a_language_without_stemmer_loses_accents_alone() -> None:
    assert stemmer_of("vi")("phố") == "pho"


def test_words_that_tell_nothing_have_no_content() -> None:
    assert content_stems("Die Orgel der Kirche ist von 1699", "de") == {"orgel", "kirch", "1699"}
    assert "og" not in content_stems("Orgelet og kirken", "nb")


def test_pairs_of_characters_are_the_content_of_chinese() -> None:
    assert {"清河", "茶厂"} <= content_stems("清河茶厂", "zh")


def test_a_word_typed_without_accents_finds_the_one_with_them() -> None:
    assert "séa" in shared_prefixes("seance")


def test_a_word_with_accents_finds_the_one_without_them() -> None:
    assert "sea" in shared_prefixes("séance")


def test_other_scripts_have_their_own_first_letters_alone() -> None:
    assert shared_prefixes("清河") == ["清河"]
