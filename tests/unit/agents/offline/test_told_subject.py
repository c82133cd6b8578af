from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.offline.told_subject import find_told_subject
from hoptrail.core.types import Chunk, Evidence, Hit

STOCK = "The head nurse counts the stock every Friday at noon. She signs the register."


def subject(question: str, *texts: str) -> str | None:
    chunks = [Chunk(text, text[:9], "Rules", text, 0, len(text)) for text in texts]
    index = EvidenceIndex(Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks)))
    draft = find_told_subject(question, index)
    return draft.text if draft else None


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("Who counts the stock every Friday?", STOCK, "The head nurse"),
        ("What opens the yard gate?", "The brass key opens the yard gate.", "The brass key"),
        ("Who is responsible for the bins?", "Ann Holt is responsible for the bins.", "Ann Holt"),
    ],
)
def test_subject_of_the_sentence_with_the_words_of_the_question(
    question: str, text: str, told: str
) -> None:
    assert subject(question, text) == told


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who signs the register?", STOCK),  # a pronoun
        ("Who counts the stock every Monday?", STOCK),
        ("Who counts the stock?", "The head nurse never counts the stock."),
        ("Who counts the stock?", "The nurse who left counts the stock."),
        ("Who counts the stock?", "Nobody knows whether the vet counts the stock."),
        ("Who counts?", "The head nurse counts."),
        ("Who counts the stock?", "Holt counts the stock."),  # who has more of a name elsewhere
    ],
)
def test_what_tells_it_in_other_words_or_not_at_all_is_no_answer(question: str, text: str) -> None:
    assert subject(question, text) is None


def test_different_subjects_are_no_answer() -> None:
    texts = ("The vet counts the stock.", "The nurse counts the stock.")
    assert subject("Who counts the stock?", *texts) is None
