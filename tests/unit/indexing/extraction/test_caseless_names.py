"""Names in scripts without capitals, where a text marks them."""

from __future__ import annotations

import pytest

from hoptrail.indexing.extraction.caseless_names import marked_titles


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("他写了《炒青笔记》四卷。", "炒青笔记"),
        ("『雪国』を読んだ。", "雪国"),
        ("قدمت الفرقة «ليالي السدر» في قرطاج.", "ليالي السدر"),
    ],
)
def test_a_title_between_its_marks_is_a_name(text: str, name: str) -> None:
    assert [text[slice(*span)] for span in marked_titles(text, 0, len(text))] == [name]


def test_what_somebody_says_is_none() -> None:
    assert list(marked_titles("他说：“茶厂休息。”", 0, 10)) == []


def test_french_words_in_guillemets_are_left_to_capitals() -> None:
    assert list(marked_titles("Il dit «non merci» à tous.", 0, 26)) == []
