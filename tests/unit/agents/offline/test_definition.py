from __future__ import annotations

import pytest

from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.offline.answerer import search_answer
from hoptrail.agents.offline.definition import define
from hoptrail.agents.verification.verifier import verify
from tests.unit.agents.conftest import evidence_of, index_of


def graph_of(title: str, text: str) -> SentenceGraph:
    return SentenceGraph(index_of(text, title=title))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Ann Holt was a clockmaker of Varde, who died young.", "a clockmaker of Varde"),
        ("Ann Holt (1840-1902) was a clockmaker.", "a clockmaker"),
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


PLAN = "KEYS OF THE PLAN\n\nOC = on call\nNS = night shift\n"
CLUB = "The Alding Rowing Club (ARC) has a boathouse. The ARC was founded in 1901.\n"


@pytest.mark.parametrize(
    ("question", "answer", "quote"),
    [
        ("What does OC mean?", "on call", "OC = on call"),
        ('What does "NS" stand for?', "night shift", "NS = night shift"),
        ("What is OC?", "on call", "OC = on call"),
        ("What is the abbreviation for night shift?", "NS", "NS = night shift"),
        ("What does ARC stand for?", "Alding Rowing Club", "Alding Rowing Club (ARC)"),
    ],
)
def test_what_a_text_explains_is_the_plain_answer(question: str, answer: str, quote: str) -> None:
    evidence = evidence_of(PLAN, CLUB)

    draft = search_answer(question, "bridge", evidence)
    verdict = verify(draft, question, "bridge", evidence)

    assert draft.answers == (answer,)
    assert [(hop.support, hop.quote) for hop in verdict.trail.hops] == [("stated", quote)]
    assert verdict.reserve is None


def test_all_that_texts_explain_differently_is_told() -> None:
    evidence = evidence_of(PLAN, "OC = Oskel Council\n")
    draft = search_answer("What does OC mean?", "bridge", evidence)
    assert draft.answers == ("on call", "Oskel Council")


def test_what_nobody_explains_is_not_guessed() -> None:
    assert search_answer("What does XY mean?", "bridge", evidence_of(PLAN, CLUB)).abstained
