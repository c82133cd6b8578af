"""First letters under which the forms of a word are found."""

from __future__ import annotations

from hoptrail.core.language.forms import shared_prefixes


def test_a_word_typed_without_accents_finds_the_one_with_them() -> None:
    assert "séa" in shared_prefixes("seance")


def test_a_word_with_accents_finds_the_one_without_them() -> None:
    assert "sea" in shared_prefixes("séance")


def test_other_scripts_have_their_own_first_letters_alone() -> None:
    assert shared_prefixes("清河") == ["清河"]
