"""Terms of scripts without spaces and of the Arabic script."""

from __future__ import annotations

from hoptrail.core.language.scripts import folded_arabic, script_words


def test_a_script_without_spaces_gives_pairs_of_neighbours() -> None:
    assert list(script_words("清河茶厂")) == ["清河", "河茶", "茶厂"]


def test_a_lone_character_is_a_term() -> None:
    assert list(script_words("茶")) == ["茶"]


def test_a_latin_word_within_stays_whole() -> None:
    assert list(script_words("用python写")) == ["用", "python", "写"]


def test_an_arabic_word_is_found_with_and_without_its_article() -> None:
    assert list(script_words("الحافلة")) == list(script_words("حافلة"))


def test_arabic_marks_that_writers_leave_out_do_not_count() -> None:
    assert folded_arabic("الخزّافين") == folded_arabic("الخزافين")


def test_a_number_is_found_in_either_digits() -> None:
    assert folded_arabic("سنة ١٦٨٧") == folded_arabic("سنة 1687")


def test_forms_of_alef_are_one() -> None:
    assert folded_arabic("أربعة") == folded_arabic("اربعة")
