"""Which language a text is in, told by CLD3 and by common words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.core.language import detection
from hoptrail.core.language.detection import (
    UNKNOWN,
    is_english,
    language_of,
    question_language,
    shown_language,
)

BENCHMARKS = Path(__file__).parents[4] / "benchmarks"
LANGUAGES = sorted(path.parent.name for path in BENCHMARKS.glob("languages/*/questions.jsonl"))


def questions(file: Path) -> list[str]:
    return [json.loads(line)["question"] for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_documents_are_told_by_their_text(language: str) -> None:
    documents = BENCHMARKS / "languages" / language / "documents"
    told = {language_of(file.read_text(encoding="utf-8")) for file in documents.iterdir()}
    assert told == {language}


@pytest.mark.parametrize("language", LANGUAGES)
def test_documents_show_their_language(language: str) -> None:
    documents = BENCHMARKS / "languages" / language / "documents"
    shown = {shown_language(file.read_text(encoding="utf-8")) for file in documents.iterdir()}
    assert shown == {language}


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_told_by_a_dozen_words(language: str) -> None:
    asked = questions(BENCHMARKS / "languages" / language / "questions.jsonl")
    assert {language_of(question) for question in asked} == {language}


def test_no_english_question_is_taken_for_one_in_another_language() -> None:
    files = [*BENCHMARKS.glob("everyday/organisations/*/questions.jsonl")]
    asked = [question for file in files for question in questions(file)]
    assert len(asked) > 100
    assert [question for question in asked if not is_english(question)] == []


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Chi ha fondato la fabbrica?", "it"),
        ("Waar staat de molen?", "nl"),
        ("Kto założył fabrykę?", "pl"),
        ("Кто основал завод?", "ru"),
        ("Когда горела лесопилка?", "ru"),
        ("Jak długi jest stary most?", "pl"),
        ("この工場は誰が作りましたか？", "ja"),
        ("Was kostet Kupferrohr?", "de"),
        ("Wer schrieb The Great Gatsby?", "de"),
    ],
)
def test_short_questions_are_told(question: str, language: str) -> None:
    assert language_of(question) == language


@pytest.mark.parametrize("words", ["Zanzibar Steelworks founder", "capital of France"])
def test_a_few_words_without_a_question_are_english(words: str) -> None:
    assert is_english(words)


def test_an_english_text_stays_english_however_many_foreign_names_it_has() -> None:
    told = "Which film was released earlier, Più Bello Di Così Si Muore or Past Minutes?"
    assert language_of(told) == "en"


def test_names_and_labels_show_no_language() -> None:
    assert shown_language("Depot: Halden; Area m²: 900; Pallets: 340; Drivers: 6") is None


def test_a_sentence_shows_its_language() -> None:
    assert shown_language("Das Müllhaus wurde von Jörg Böhm gebaut.") == "de"


def test_a_text_without_words_is_in_no_language() -> None:
    assert language_of("12.5 %") == UNKNOWN


def test_half_a_character_hinders_nothing() -> None:
    assert language_of("\ud800 Wann wurde die Brücke gebaut?") == "de"


def test_a_question_without_words_is_read_as_english() -> None:
    assert question_language("1906?") == "en"


def test_common_words_tell_the_language_where_cld3_has_no_wheel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(detection, "_identifier", lambda: None)
    detection._language.cache_clear()
    assert language_of("Wann wurde die Brücke über den Fluss gebaut?") == "de"
    detection._language.cache_clear()
