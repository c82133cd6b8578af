from __future__ import annotations

from hoptrail.agents.graphrag.community_mapper import lay_out_reports
from hoptrail.core.types import Community, Finding
from hoptrail.eval.oracle.gold_book import GoldBook
from hoptrail.eval.oracle.noise import Noise
from hoptrail.eval.oracle.oracle import Oracle
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
