from __future__ import annotations

from dataclasses import replace

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.verification.reserve import reserve_of, reserve_of_trail
from hoptrail.core.types import AnswerCandidate, Evidence, Strategy, SupportState, TrailHop
from hoptrail.core.types.draft import Draft

INDEX = EvidenceIndex(Evidence())
TOLD = "Elm Station designed by Ida Holm"


def hops(*marks: SupportState) -> list[TrailHop]:
    return [
        TrailHop(number, TOLD, support=mark, chunk_id=f"c{number}", quote=TOLD)
        for number, mark in enumerate(marks, 1)
    ]


def reserve(
    question: str, answer: str, strategy: Strategy, score: float = 1.0, *, is_derived: bool = False
) -> str | None:
    answers = (AnswerCandidate(answer, None, score),)
    trail = hops("stated")
    draft = Draft(strategy, (answer,))
    return reserve_of(draft, question, trail, answers, INDEX, is_derived=is_derived)


@pytest.mark.parametrize(
    ("marks", "reason"),
    [
        (("stated", "stated"), None),
        ((), "no passage states it in so many words"),
        (("partly",), "no passage states it in so many words"),
        (("stated", "partly"), "no passage states step 2 in so many words"),
        (("partly", "partly"), "no passage states steps 1 and 2 in so many words"),
        (("stated", "none", "partly"), "no passage states steps 2 and 3 in so many words"),
        (("none",) * 4 + ("stated",), "no passage states 4 of the 5 steps in so many words"),
        (("none",) * 4, "no passage states any of the 4 steps in so many words"),
    ],
)
def test_a_trail_says_which_steps_are_not_stated(
    marks: tuple[SupportState, ...], reason: str | None
) -> None:
    assert reserve_of_trail(hops(*marks)) == reason


def test_an_answer_that_the_trail_does_not_name() -> None:
    told = reserve("Who designed Elm Station?", "Per Krogh", "generic", score=0.0)
    assert told == "no passage states it in so many words"


def test_only_an_answer_without_a_model_must_have_the_questions_words() -> None:
    question = "Whose drawings was Elm Station built from?"
    assert reserve(question, "Ida Holm", "graph_search") is not None
    assert reserve(question, "Ida Holm", "sparql") is None


def _relation(predicate: str) -> TrailHop:
    claim = f"Elm Station {predicate} Ida Holm"
    return TrailHop(1, claim, "Elm Station", predicate, "Ida Holm", support="stated")


def test_a_bare_graph_words_its_relations_in_its_own_way() -> None:
    draft = Draft("graph_search", ("Ida Holm",))
    trail = [_relation("chief_designer")]
    answers = (AnswerCandidate("Ida Holm", "e1", 1.0),)
    question = "Who designed Elm Station?"
    assert reserve_of(draft, question, trail, answers, INDEX, is_derived=False) is None


def test_the_kind_counts_for_answers_of_a_model_too() -> None:
    told = reserve("When was Elm Station built?", "Ida Holm", "sparql")
    assert told == "the question asks for a date, and this is a name"


def test_a_derived_answer_rests_on_its_steps_alone() -> None:
    assert reserve("Who is older?", "no", "graph_search", is_derived=True) is None


def test_what_a_model_remembers_is_no_plain_answer() -> None:
    told = reserve("Who designed Elm Station?", "Ida Holm", "closed_book")
    assert told == "no passage states it in so many words"


def test_an_abstention_has_no_reserve() -> None:
    draft = Draft("graph_search", reason="no_evidence")
    assert reserve_of(draft, "Who?", (), (), INDEX, is_derived=False) is None


def test_a_bare_graph_that_tells_of_something_else_gives_a_reserve() -> None:
    draft = Draft("graph_search", ("Ida Holm",))
    answers = (AnswerCandidate("Ida Holm", "e1", 1.0),)
    told = reserve_of(
        draft, "Who sold Elm Station?", [_relation("drawn_by")], answers, INDEX, is_derived=False
    )
    assert told == 'the trail says nothing of "sold"'


def test_the_reserve_of_a_reader_holds_for_a_number_too() -> None:
    draft = Draft("graph_search", ("12",), reserve="the passage words it in another way")
    trail = [_relation("has")]
    answers = (AnswerCandidate("12", None, 1.0),)
    told = reserve_of(draft, "How many?", trail, answers, INDEX, is_derived=True)
    assert told == "the passage words it in another way"


def test_one_of_several_is_given_with_reserve() -> None:
    draft = Draft("graph_search", ("Elm Station",))
    hop = replace(_relation("designed by"), quote="Elm Station was designed by Ida Holm.")
    answers = (AnswerCandidate("Elm Station", "e1", 1.0),)
    question = "Which stations were designed by Ida Holm?"
    told = reserve_of(draft, question, [hop], answers, INDEX, is_derived=False)
    assert told == "this may be a part of the answer"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who designed Elm Station and when did it open?", "this may be a part of the answer"),
        ("What did Elm Station cost and who sold it?", "this may be a part of the answer"),
        ("Who sold Elm Station and for how much?", "this may be a part of the answer"),
    ],
)
def test_one_answer_to_two_questions_is_half_of_it(question: str, told: str) -> None:
    assert reserve(question, "Ida Holm", "graph_search") == told


def test_a_query_for_one_column_is_half_of_two_questions() -> None:
    question = "Who designed Elm Station and what did it cost?"
    assert reserve(question, "Ida Holm", "tables") == "this may be a part of the answer"
