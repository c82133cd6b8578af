"""Reports read for gold answers, and the book that gold is looked up in."""

from __future__ import annotations

import pytest

from hoptrail.agents.graphrag.community_mapper import lay_out_reports
from hoptrail.core.errors import InputError
from hoptrail.core.types import Community, Finding
from hoptrail.eval.oracle.decisions import Noise
from hoptrail.eval.oracle.oracle import GoldBook, Oracle
from hoptrail.eval.questions.question import Question
from hoptrail.prompts.forms.graphrag import HelpfulPoints
from hoptrail.prompts.loader import SHIPPED
from tests.unit.eval.oracle.conftest import chained

REPORTS = {
    3: Community("c", 0, "Yards", "Nothing is told here. Much is."),
    7: Community(
        "d", 0, "People", "", findings=(Finding("Founders", "The yard was founded by Edda Thorn."),)
    ),
    9: Community("e", 0, "Ships", "It was built at the Alder Yard. Paint was blue."),
}


def read(reports: dict[int, Community]) -> HelpfulPoints:
    messages = SHIPPED.load("map_communities").render(
        question=chained().text, reports=lay_out_reports(reports, 1_000)
    )
    reply = Oracle(GoldBook([chained()]), Noise(0.0, 1)).reply(messages)
    assert isinstance(reply, HelpfulPoints)
    return reply


def test_sentences_that_spell_a_gold_answer_are_handed_on_with_their_report() -> None:
    points = read(REPORTS).points
    assert [(point.text, point.reports) for point in points] == [
        ("Founders: The yard was founded by Edda Thorn.", [7]),
        ("It was built at the Alder Yard.", [9]),
    ]
    assert points[0].helpfulness > points[1].helpfulness > 0


def test_reports_that_spell_none_contribute_nothing() -> None:
    assert read({3: REPORTS[3]}).points == []


def question(name: str, text: str) -> Question:
    return Question(name, text, (("x",),), 1)


def test_marks_case_articles_and_white_space_do_not_matter() -> None:
    book = GoldBook([question("a", "Who built the Morning Tern?")])
    assert book.look_up(" who  built Morning Tern ").id == "a"


def test_questions_that_differ_in_capitals_alone_are_told_apart() -> None:
    book = GoldBook([question("a", "who is Rose?"), question("b", "Who is rose?")])
    assert book.look_up("Who is rose?").id == "b"


def test_a_question_that_it_does_not_know_is_an_error_that_shows_it() -> None:
    with pytest.raises(InputError, match="Who built the Grey Gull"):
        GoldBook([question("a", "Who?")]).look_up("Who built the Grey Gull?")
