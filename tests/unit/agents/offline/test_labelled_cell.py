"""Cells of rows that a question in any language names by their label."""

from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.reserves import ASKED, unstated
from hoptrail.agents.offline.labelled_cell import look_up_labelled
from hoptrail.core.types import Chunk, Evidence, Hit

STOCK = (
    "Artikel: Kupferrohr 15 mm; Lagerort: Halle 2; Preis: 3,85\n"
    "Artikel: Flansch DN50; Lagerort: Halle 4; Preis: 12,40"
)


def index(*texts: str) -> EvidenceIndex:
    chunks = [Chunk(f"c{at}", f"d{at}", "", text, 0, len(text)) for at, text in enumerate(texts)]
    return EvidenceIndex(Evidence(chunks=tuple(Hit(chunk) for chunk in chunks)))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Welchen Lagerort hat das Kupferrohr 15 mm?", "Halle 2"),
        ("Wie hoch ist der Preis von Flansch DN50?", "12,40"),
        ("Welche Preise hat der Flansch DN50?", "12,40"),
    ],
)
def test_a_cell_is_told_whose_row_and_label_are_named(question: str, answer: str) -> None:
    draft = look_up_labelled(question, index(STOCK))
    assert draft is not None and draft.answers == (answer,)


def test_a_question_for_no_more_is_answered_plainly() -> None:
    draft = look_up_labelled("Welchen Lagerort hat das Kupferrohr 15 mm?", index(STOCK))
    assert draft is not None and draft.reserve == ""


def test_a_question_with_further_words_is_answered_with_reserve() -> None:
    draft = look_up_labelled("Wann wurde der Preis von Flansch DN50 erhöht?", index(STOCK))
    assert draft is not None and draft.reserve == unstated(ASKED)


@pytest.mark.parametrize(
    "question",
    ["Welchen Lagerort hat das Stahlrohr?", "Welche Farbe hat das Kupferrohr 15 mm?"],
)
def test_what_no_row_or_label_names_is_not_guessed(question: str) -> None:
    assert look_up_labelled(question, index(STOCK)) is None


def test_rows_that_differ_give_no_answer() -> None:
    other = "Artikel: Flansch DN50; Lagerort: Halle 9; Preis: 12,40"
    assert look_up_labelled("Welchen Lagerort hat Flansch DN50?", index(STOCK, other)) is None
