"""Answers that rest on words which a picture shows unclearly."""

from __future__ import annotations

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.verification.misread import misread
from hoptrail.agents.verification.reserve import reserve_of
from hoptrail.core.types import AnswerCandidate, Evidence, TrailHop
from hoptrail.core.types.draft import Draft

QUOTE = "The mill was built by Ida Holm in 1911."
START = 100


def hop(*unsure: str) -> TrailHop:
    spans = tuple(
        (START + QUOTE.index(word), START + QUOTE.index(word) + len(word)) for word in unsure
    )
    return TrailHop(
        1,
        "The mill built by Ida Holm",
        "The mill",
        "built by",
        "Ida Holm",
        support="stated",
        chunk_id="c",
        doc_id="s/mill.png",
        start=START,
        end=START + len(QUOTE),
        quote=QUOTE,
        place="page 3",
        unsure=spans,
    )


def test_a_word_of_the_answer_that_may_be_misread_is_told_with_its_page() -> None:
    told = misread([hop("Holm")], ["Ida Holm"])
    assert told == '"Holm" cannot be read for certain in the picture of page 3'


def test_other_words_of_the_quote_do_not_matter() -> None:
    assert misread([hop("1911.", "was")], ["Ida Holm"]) is None


def test_words_that_are_in_every_sentence_do_not_matter() -> None:
    assert misread([hop("The")], ["Ida Holm"]) is None


def test_a_year_that_may_be_misread_is_told_without_its_full_stop() -> None:
    assert '"1911" cannot' in str(misread([hop("1911.")], ["1911"]))


def test_an_answer_that_rests_on_such_a_word_has_a_reserve() -> None:
    draft = Draft("generic", ("Ida Holm",))
    answers = (AnswerCandidate("Ida Holm", None, 1.0),)
    question, index = "Who built the mill?", EvidenceIndex(Evidence())
    for trail, is_told in (([hop("Ida")], True), ([hop()], False)):
        reserve = reserve_of(draft, question, trail, answers, index, is_derived=False)
        assert (reserve is not None) == is_told
