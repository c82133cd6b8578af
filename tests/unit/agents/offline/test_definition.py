from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.offline.definition import define
from hoptrail.core.types import Evidence, Hit
from tests.unit.agents.conftest import chunk_of


def graph_of(title: str, text: str) -> SentenceGraph:
    return SentenceGraph(EvidenceIndex(Evidence(chunks=(Hit(chunk_of(title, text)),))))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Ann Holt was a clockmaker of Varde, who died young.", "a clockmaker of Varde"),
        ("Ann Holt (1840-1902) was a clockmaker.", "a clockmaker"),
        ("Ann Holt, the abbess of Wendle, kept bees.", "the abbess of Wendle"),
        ("Ann Holt kept bees. She was a clockmaker.", "a clockmaker"),
    ],
)
def test_a_thing_is_what_its_sentence_says(text: str, answer: str) -> None:
    draft = define("Who was Ann Holt?", graph_of("Ann Holt", text))
    assert draft is not None
    assert draft.text == answer


def test_a_place_of_birth_is_not_what_somebody_is() -> None:
    draft = define("Who is Ann Holt?", graph_of("Ann Holt", "Ann Holt was born in Varde."))
    assert draft is not None
    assert draft.abstained


def test_who_founded_a_thing_is_not_what_it_is() -> None:
    graph = graph_of("Alder Yard", "The Alder Yard was founded by Edda Thorn.")
    draft = define("What is the Alder Yard?", graph)
    assert draft is not None
    assert draft.abstained


def test_a_denied_definition_is_none() -> None:
    text = "It is false that Ann Holt was a clockmaker."
    draft = define("Who is Ann Holt?", graph_of("Ann Holt", text))
    assert draft is not None
    assert draft.abstained


def test_other_questions_are_left_to_others() -> None:
    graph = graph_of("Ann Holt", "Ann Holt was a clockmaker.")
    assert define("Who taught Ann Holt?", graph) is None
