"""Words that the reader finds in the passages nearest to a question, and how likely each is."""

from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.near_passages import WEIGHTS, NearPassages, ReadWords
from hoptrail.agents.reading.values import Value
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.models.passage_reader import PassageReader

ASKED = "Who repaired the roof of the hall?"
HALL = "The hall roof was mended by the firm Ostler Brothers for 4,300 euros."
BARN = "The barn roof was mended by the firm Reed and Sons for 2,100 euros."


def near(question: str, *texts: str) -> NearPassages:
    chunks = (
        Chunk(f"c{n}", f"d{n}", "Minutes", text, 0, len(text)) for n, text in enumerate(texts)
    )
    evidence = Evidence(chunks=tuple(Hit(chunk) for chunk in chunks))
    return NearPassages(question, EvidenceIndex(evidence), TextSimilarity())


def words(**signs: float) -> ReadWords:
    told = {**dict.fromkeys(WEIGHTS, 0.0), **signs}
    return ReadWords(0, Value("Ostler", 0, 6, "name"), tuple(told.values()))


def test_words_of_each_passage_are_found(reader: PassageReader) -> None:
    found = near(ASKED, HALL, BARN).words(reader)
    assert [one.value.text for one in found] == ["Ostler Brothers", "Reed and Sons"]


@pytest.mark.parametrize("texts", [(HALL, BARN), (BARN, HALL)])
def test_those_of_the_passage_that_tells_of_the_asked_thing_are_likelier(
    texts: tuple[str, str], reader: PassageReader
) -> None:
    found = max(near(ASKED, *texts).words(reader), key=lambda one: one.likelihood)
    assert found.value.text == "Ostler Brothers"


def test_what_a_passage_denies_is_not_found(reader: PassageReader) -> None:
    text = "The hall roof was not mended by the firm Ostler Brothers."
    assert list(near(ASKED, text).words(reader)) == []


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ({"stated": -2.0}, {"stated": 2.0}),
        ({"likely": -2.0}, {"likely": 2.0}),
        ({"nearness": -0.5}, {"nearness": 0.0}),
        ({"rank": 2.0}, {"rank": 0.0}),
        ({"turn": 1.5}, {"turn": 0.0}),
    ],
)
def test_each_sign_counts(less: dict[str, float], more: dict[str, float]) -> None:
    assert 0 < words(**less).likelihood < words(**more).likelihood < 1


def test_the_likelihood_of_words_in_a_row_is_not_told(reader: PassageReader) -> None:
    row = "Roof: Ostler Brothers; Price: 4,300 euros"
    assert near(ASKED, row).likelihood("Ostler Brothers", reader) is None
    assert near(ASKED, HALL).likelihood("Ostler Brothers", reader) is not None
