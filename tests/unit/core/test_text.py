"""Normal forms, words and sentences of hoptrail.core.text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.text import (
    clipped,
    contains_answer,
    content_words,
    cost,
    counted,
    dollars,
    flat,
    longest_apart,
    name_key,
    normalize_answer,
    sentence_spans,
    sentences,
    words,
)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Beatles!", "beatles"),
        ("An apple, a day", "apple day"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("Straße", "strasse"),
        ("O’Neill’s", "oneills"),
        ("U.S.", "us"),
        ("theatre", "theatre"),
        ("?!", ""),
    ],
)
def test_normalize_answer(text: str, normal: str) -> None:
    assert normalize_answer(text) == normal


@given(st.text())
def test_normalize_answer_leaves_a_normal_form_without_outer_or_double_spaces(text: str) -> None:
    normal = normalize_answer(text)
    assert normal == " ".join(normal.split())


def test_contains_answer_matches_whole_tokens_only() -> None:
    text = "She was born in Paris, the capital of France."
    assert contains_answer(text, "the capital")
    assert contains_answer(text, "PARIS")
    assert not contains_answer(text, "Par")
    assert not contains_answer(text, "capital France")


def test_contains_answer_never_finds_an_answer_without_a_word() -> None:
    assert not contains_answer("anything", "the")
    assert not contains_answer("anything", "...")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Hague", "hague"),
        ("Saint-Étienne", "saint étienne"),
        ("Jane Austen's", "Jane Austen"),
        ("  NEW   York ", "new york"),
        ("J.R.R. Tolkien", "J R R Tolkien"),
    ],
)
def test_equal_names_share_a_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_name_key_keeps_an_article_that_is_the_whole_name() -> None:
    assert name_key("A") == "a"
    assert name_key("The") == "the"


def test_name_key_of_pure_punctuation_is_not_empty() -> None:
    assert name_key("!!!") == "!!!"


def test_words_are_lower_case_and_keep_inner_apostrophes() -> None:
    assert words("Don't PANIC, O’Brien!") == ["don't", "panic", "o’brien"]


def test_content_words_leave_out_stop_words_and_keep_repetitions() -> None:
    assert content_words("The river and the other river of it") == ["river", "river"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith met J. R. Brown. They left.", ["Dr. Smith met J. R. Brown.", "They left."]),
        ("It cost 3.5 dollars. Cheap.", ["It cost 3.5 dollars.", "Cheap."]),
        ('He said "Go." She went.', ['He said "Go."', "She went."]),
        ("A title\n\nA paragraph", ["A title", "A paragraph"]),
        ("一つ。二つ。", ["一つ。", "二つ。"]),
        ("about 5 ft. tall", ["about 5 ft. tall"]),
        ("Adult ..... 6.50\nChild ... £3", ["Adult ..... 6.50", "Child ... £3"]),
        ("He waited ... Then he left.", ["He waited ...", "Then he left."]),
        ("  ", []),
        ("## 4. Summer show\n\nIt rained.", ["## 4. Summer show", "It rained."]),
        ("### 2.1. Fees\n\nThey rose.", ["### 2.1. Fees", "They rose."]),
        (
            "Name of the owner: Petra Lund\nLength of the boat (m): 8.4\nShore power wanted: yes",
            [
                "Name of the owner: Petra Lund",
                "Length of the boat (m): 8.4",
                "Shore power wanted: yes",
            ],
        ),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet="Ab. !?\n”’。é1", max_size=60))
def test_sentence_spans_cover_every_visible_character_once_and_in_order(text: str) -> None:
    spans = sentence_spans(text)
    assert all(start < end for start, end in spans)
    assert all(left[1] <= right[0] for left, right in zip(spans, spans[1:], strict=False))
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(character.isspace() or i in covered for i, character in enumerate(text))


def test_a_flat_text_is_one_line() -> None:
    assert flat("  one\n\ttwo   three ") == "one two three"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one two", "one two"),
        ("one two three", "one two …"),
        ("one\n two", "one two"),
        ("onetwothree", "onetwoth …"),
    ],
)
def test_a_long_text_is_clipped_after_a_word(text: str, shown: str) -> None:
    assert clipped(text, 8) == shown


@pytest.mark.parametrize(
    ("spans", "apart"),
    [
        ([], []),
        ([(0, 4), (0, 9), (5, 9)], [(0, 9)]),
        ([(3, 8), (0, 4), (8, 9)], [(3, 8), (8, 9)]),
        ([(0, 4), (3, 7)], [(0, 4)]),
        ([(6, 9), (0, 3), (0, 3)], [(0, 3), (6, 9)]),
    ],
)
def test_of_overlapping_spans_the_longest_stay(
    spans: list[tuple[int, int]], apart: list[tuple[int, int]]
) -> None:
    assert longest_apart(spans) == apart


def test_an_answer_in_a_script_without_spaces_may_stand_anywhere() -> None:
    assert contains_answer("清河茶厂由顾汝贤于1936年创办。", "顾汝贤")


def test_an_arabic_answer_may_follow_its_article() -> None:
    assert contains_answer("تطل القلعة على الوادي", "قلعة")


def test_words_of_an_english_text_stay_as_they_are_beside_a_name_in_its_own_script() -> None:
    text = "Kwon Boa, whose name is written 權珤雅, is a singer who was born in Guri in 1986."
    assert "權珤雅" in words(text)


def test_may_is_a_stop_word_and_may_the_month_is_none() -> None:
    assert content_words("How much may a night cost?") == ["night", "cost"]
    assert content_words("The fee of May") == ["fee", "may"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Das Freibad am Moorsee öffnet jedes Jahr am 1. Mai und schließt im Herbst.",
        "Der Brand im alten Sägewerk war am 19. August und dauerte die ganze Nacht.",
        "Man sieht dort viele Tiere, z. B. Kraniche und Reiher, die im Moor brüten.",
        "Die Wohnung mit der Nr. 4 im zweiten Stock ist seit dem Frühling frei.",
        "Le marché se tient le samedi matin, tél. 04 71 00 12 35, sur les allées.",
        "En la sección que aparece en la pág. 9 del libro se explica la receta.",
    ],
)
def test_a_stop_within_ends_no_sentence(sentence: str) -> None:
    assert sentences(sentence) == [sentence]


def test_a_number_at_the_end_of_a_sentence_ends_it() -> None:
    told = ["Er kam mit dem Zug um 10.", "Das war für alle eine große Freude."]
    assert sentences(" ".join(told)) == told


def test_english_takes_a_day_before_a_stop_for_the_end() -> None:
    told = ["When they met in the town he was 19.", "August came and they were married."]
    assert sentences(" ".join(told)) == told


def test_an_arabic_question_mark_ends_a_sentence() -> None:
    assert sentences("من هو؟ هو المدير.") == ["من هو؟", "هو المدير."]


def test_a_closing_mark_belongs_to_its_chinese_sentence() -> None:
    assert sentences("“你好。”他说。") == ["“你好。”", "他说。"]


def test_a_guillemet_belongs_to_its_french_sentence() -> None:
    assert sentences("Il dit « non. » Puis il partit.") == ["Il dit « non. »", "Puis il partit."]


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0.0, "$0"),
        (0.00000123, "$0.0000012"),
        (0.0026, "$0.0026"),
        (0.05, "$0.050"),
        (0.26, "$0.26"),
        (26.426, "$26.43"),
        (1234.5, "$1,234.50"),
    ],
)
def test_what_costs_something_is_shown_with_two_digits_that_tell(usd: float, text: str) -> None:
    assert dollars(usd) == text


@pytest.mark.parametrize(
    ("usd", "unpriced_calls", "text"),
    [
        (0.0, 0, "$0"),
        (0.26, 0, "$0.26"),
        (0.0, 3, "price unknown"),
        (0.26, 3, "$0.26 and calls of unknown price"),
    ],
)
def test_calls_of_an_unknown_price_are_never_free(
    usd: float, unpriced_calls: int, text: str
) -> None:
    assert cost(usd, unpriced_calls) == text


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "merge", "0 merges"),
        (1, "entity", "1 entity"),
        (2000, "entity", "2,000 entities"),
        (3, "day", "3 days"),
        (2, "file or folder", "2 files or folders"),
        (2, "more address", "2 more addresses"),
        (1.2, "second", "1 second"),
    ],
)
def test_what_is_counted_is_one_or_several(number: float, noun: str, text: str) -> None:
    assert counted(number, noun) == text
