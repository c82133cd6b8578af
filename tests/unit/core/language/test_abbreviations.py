"""Full stops that end no sentence, by language."""

from __future__ import annotations

import pytest

from hoptrail.core.text import sentences


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
