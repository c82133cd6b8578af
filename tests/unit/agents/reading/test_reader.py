from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.reader import ReadAnswer, read_answer
from hoptrail.agents.reading.sentence_reader import SentenceReader
from hoptrail.agents.verification.verifier import Verification, verify
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import Draft
from hoptrail.testing import HashingEmbedder

TEXTS = {
    "Fares": "route: Quay - Brae; ticket: adult single; price: 11.80\n"
    "route: Quay - Wick; ticket: adult single; price: 14.20",
    "Staff": "name: Mira Sund; role: harbour master; extension: 264\n"
    "name: Joan Pendry; role: bosun; extension: 260",
    "News": "Mira Sund takes over from Joan Pendry in June.",
    "Air": "The Nivo weighs 420 g.",
}


@pytest.fixture(scope="module")
def texts() -> Evidence:
    chunks = [
        Chunk(title, f"folder/{title}.txt", title, text, 0, len(text))
        for title, text in TEXTS.items()
    ]
    return Evidence(chunks=tuple(Hit(chunk, 1.0) for chunk in chunks))


def read(question: str, evidence: Evidence) -> tuple[Draft | None, Verification | None]:
    graph = SentenceGraph(EvidenceIndex(evidence))
    draft = read_answer(question, graph, TextSimilarity(HashingEmbedder().embed))
    return draft, verify(draft, question, "bridge", evidence) if draft else None


def test_row_answers_in_plain_words(texts: Evidence) -> None:
    draft, verdict = read("What is the price of an adult single from Quay to Brae?", texts)
    assert draft is not None and verdict is not None
    assert draft.text == "11.80"
    assert verdict.verified
    assert [hop.support for hop in verdict.trail.hops] == ["stated"]


def test_described_person_is_found_first(texts: Evidence) -> None:
    draft, verdict = read(
        "What is the extension of the woman who takes over from Joan Pendry?", texts
    )
    assert draft is not None and verdict is not None
    assert draft.text == "264"
    assert [(hop.subject, hop.object) for hop in verdict.trail.hops] == [
        ("Mira Sund", "Joan Pendry"),
        ("Mira Sund", "264"),
    ]


def test_thing_that_is_only_named_alike_is_not_answered(texts: Evidence) -> None:
    assert read("What does the Nivo Mini weigh?", texts) == (None, None)


def test_sentence_without_a_word_of_what_is_asked_is_no_answer(texts: Evidence) -> None:
    assert read("Who was Joan Pendry's husband?", texts) == (None, None)


def test_question_of_other_things_is_not_answered(texts: Evidence) -> None:
    assert read("Who painted the ceiling of the chapel in 1512?", texts) == (None, None)


@pytest.mark.parametrize(
    ("question", "is_plain"),
    [
        ("What is the price of an adult single from Quay to Brae?", True),
        ("What is the fee of a single from Quay to Brae for dogs in winter at night?", False),
    ],
)
def test_other_wording_is_a_reserve(question: str, is_plain: bool, texts: Evidence) -> None:
    reader = SentenceReader(EvidenceIndex(texts), TextSimilarity(HashingEmbedder().embed))
    answer = ReadAnswer((reader.read(question)[0],))
    assert (answer.reserve == "") is is_plain
