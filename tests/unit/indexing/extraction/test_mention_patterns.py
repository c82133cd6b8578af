from __future__ import annotations

import pytest

from hoptrail.indexing.extraction.mention_patterns import Topic, marked_titles


@pytest.mark.parametrize(
    ("title", "short", "kind"),
    [
        ("Taken (2008 film)", "Taken", "film"),
        ("Opera House (Sydney)", "Opera House", ""),
        ("Andrew Jones (fl. 1386)", "Andrew Jones", ""),
        ("Delft", "Delft", ""),
    ],
)
def test_a_qualifier_is_a_type_only_as_a_common_noun(title: str, short: str, kind: str) -> None:
    topic = Topic.of(title)
    assert (topic.short, topic.kind) == (short, kind)


def test_a_title_stands_in_the_text_as_whole_words() -> None:
    assert list(Topic.of("Oslo").occurrences("Oslo, Oslos and Oslo", 0, 20)) == [0, 16]


def test_a_single_lower_case_word_is_no_name_of_a_topic() -> None:
    assert list(Topic.of("members").occurrences("all members", 0, 11)) == []


def test_a_title_without_capitals_is_found_among_characters() -> None:
    assert list(Topic.of("清河").occurrences("在清河边", 0, 4)) == [1]


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
