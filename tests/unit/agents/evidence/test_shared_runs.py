"""Runs that a title and a text share."""

from __future__ import annotations

from hoptrail.agents.evidence.shared_runs import shared_run


def test_three_characters_of_a_title_in_a_text_are_a_name() -> None:
    assert shared_run("顾汝贤生平", "由顾汝贤于1936年创办") == "顾汝贤"


def test_two_characters_make_a_common_word() -> None:
    assert shared_run("白鹤观", "白鹤飞过湖面") == ""


def test_two_words_of_an_arabic_title_are_a_name() -> None:
    assert shared_run("القائد منصور بن غانم", "شيدها منصور بن غانم سنة 1687") == "منصور بن غانم"


def test_one_shared_word_is_no_name() -> None:
    assert shared_run("جسر الحمام", "سوق الحمام القديم") == ""
