from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.passage_reading import answer_or_read, is_denied
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import ANSWERS, Draft, HopClaim
from hoptrail.models.passage_reader import PassageReader

ASKED = "Who repaired the roof of the hall?"
TEXT = (
    "Present: Agnes Holm, Piet Vos and Ilse Kern. "
    "The hall roof was mended by the firm Ostler Brothers for 4,300 euros."
)
EVIDENCE = Evidence(chunks=(Hit(Chunk("c", "d", "Minutes", TEXT, 0, len(TEXT))),))
NOTHING = Draft("graph_search", reason="no_evidence")
OTHER = HopClaim("Agnes Holm", "was present at", "Piet Vos")


def read(
    draft: Draft, question: str, reader: PassageReader, evidence: Evidence = EVIDENCE
) -> Draft:
    return answer_or_read(draft, question, EvidenceIndex(evidence), TextSimilarity(), reader)


def test_other_words_for_what_is_asked_are_read(reader: PassageReader) -> None:
    draft = read(NOTHING, ASKED, reader)

    assert draft.text == "Ostler Brothers"
    checked = verify(draft, ASKED, "bridge", EVIDENCE)
    assert checked.trail.hops[-1].quote == TEXT[TEXT.index("The hall") :]
    assert checked.reserve is not None


def test_what_no_passage_answers_stays_open(reader: PassageReader) -> None:
    assert read(NOTHING, "When did the lake freeze over?", reader) is NOTHING


def test_a_reader_that_is_sure_takes_the_place_of_another_answer(reader: PassageReader) -> None:
    text = "She was born in Orlas and studied mathematics at the University of Orlas."
    evidence = Evidence(chunks=(Hit(Chunk("c", "d", "Ada Brun", text, 0, len(text))),))
    claim = HopClaim("Ada Brun", "studied mathematics at", "University of Orlas")
    found = Draft("graph_search", answers=("University of Orlas",), hops=(claim,))

    draft = read(found, "What did Ada Brun study?", reader, evidence)

    assert draft.text == "mathematics"


@pytest.mark.parametrize(
    "draft",
    [
        Draft("graph_search", answers=("Ostler",), hops=(OTHER,)),
        Draft("graph_search", answers=("Piet Vos",), hops=(OTHER, OTHER)),
        Draft("graph_search", answers=("2",), hops=(OTHER,), derived=True),
        Draft("graph_search", answers=("Vos",), hops=(HopClaim(ASKED, ANSWERS, "Vos"),)),
        Draft("tables", answers=("Piet Vos",), hops=(OTHER,)),
    ],
    ids=["same", "two steps", "derived", "asked in the text", "table"],
)
def test_what_agrees_or_rests_on_more_than_a_sentence_stays(
    draft: Draft, reader: PassageReader
) -> None:
    assert read(draft, ASKED, reader) is draft


def test_yes_or_no_is_answered_by_no_words(reader: PassageReader) -> None:
    assert read(NOTHING, "Was the roof of the hall repaired?", reader) is NOTHING


@pytest.mark.parametrize(
    ("question", "answer", "denied"),
    [
        (ASKED, "Ostler Brothers", False),
        (ASKED, "Piet Vos", True),
        (ASKED, "the Ostler firm", False),  # no words of the passage
        (ASKED, "yes", False),
        ("Wer hat das Dach der Halle repariert?", "Piet Vos", False),
    ],
)
def test_an_answer_is_denied_where_its_words_stand_in_another_place(
    reader: PassageReader, question: str, answer: str, denied: bool
) -> None:
    passages = [hit.item for hit in EVIDENCE.chunks]
    assert is_denied(question, answer, passages, reader) == denied
