from __future__ import annotations

from typing import Any

import pytest

from hoptrail.agents.graphrag.community_mapper import PartialAnswer
from hoptrail.agents.graphrag.community_reducer import join_answers, reduce_answers
from hoptrail.core.errors import BudgetExceededError, ModelUnavailableError
from hoptrail.core.types import ReportReference
from hoptrail.core.types.draft import Draft
from tests.unit.agents.role_models import NO_CALLS, scripted_role
from tests.unit.agents.town_reports import QUESTION, REPORTS

CORN = PartialAnswer("Ribe grinds corn.", 40, (2,))
SALT = PartialAnswer("Varde sells salt.", 90, (1, 7))
ON_VARDE = ReportReference(1, "cv", 0, "Varde and its salt")
ON_RIBE = ReportReference(2, "cr", 1, "Ribe and its mill")


async def reduced(*replies: Any, partial: Any = (CORN, SALT), budget: int = 1_000) -> Draft:
    model, _ = scripted_role("answerer", *replies)
    return await reduce_answers(QUESTION, partial, REPORTS, model, budget=budget, temperature=0.0)


async def test_the_most_helpful_points_come_first_with_reports_that_exist() -> None:
    model, script = scripted_role("answerer", "FINAL ANSWER: Salt. [reports: 1]")

    await reduce_answers(QUESTION, [CORN, SALT], REPORTS, model, budget=1_000, temperature=0.0)

    points = [line for line in script.calls[0].text.splitlines() if line.startswith("- (")]
    assert points == [
        "- (helpfulness 90) Varde sells salt. [reports: 1]",
        "- (helpfulness 40) Ribe grinds corn. [reports: 2]",
    ]


async def test_the_answer_keeps_its_paragraphs_and_names_its_reports() -> None:
    text = "## Salt\n\nVarde sells it [reports: 1].\n\nRibe has a mill [reports: 2, 1]."

    draft = await reduced(f"I think.\nFINAL ANSWER:\n{text}")

    assert draft.answers == (text,)
    assert draft.strategy == "map_reduce"
    assert draft.reports == (ON_VARDE, ON_RIBE)


async def test_references_that_no_point_has_are_removed() -> None:
    draft = await reduced("FINAL ANSWER: Salt [Data: Reports (1, 7, 99)], dragons [reports: 5].")
    assert draft.text == "Salt [reports: 1], dragons."


@pytest.mark.parametrize("reply", ["I don't know [reports: 1].", "I do not know.\n\n[reports: 1]"])
async def test_an_abstention_that_refers_to_reports_is_one(reply: str) -> None:
    draft = await reduced(f"FINAL ANSWER: {reply}")
    assert (draft.answers, draft.reason) == ((), "no_evidence")


async def test_a_bare_number_that_no_point_has_is_no_reference() -> None:
    draft = await reduced("FINAL ANSWER: The mill burnt in [1843].")
    assert draft.text == "The mill burnt in [1843].\n\n[reports: 1, 2]"

    draft = await reduced("FINAL ANSWER: Salt [2], says [1].", partial=(SALT,))
    assert (draft.text, draft.reports) == ("Salt [2], says [reports: 1].", (ON_VARDE,))


async def test_an_answer_without_references_ends_with_those_of_the_points() -> None:
    draft = await reduced("FINAL ANSWER: The towns trade salt and corn.")
    assert draft.text == "The towns trade salt and corn.\n\n[reports: 1, 2]"
    assert draft.reports == (ON_VARDE, ON_RIBE)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "FINAL ANSWER:",
        "I cannot help with that.",
        "As an AI I had rather talk of other things.",
        "FINAL ANSWER: N/A",
        "<think>hm",
    ],
)
async def test_a_reply_that_is_no_answer_leaves_the_points_themselves(reply: str) -> None:
    draft = await reduced(reply)
    assert draft.strategy == "extractive"
    assert draft.text == "- Varde sells salt. [reports: 1]\n- Ribe grinds corn. [reports: 2]"


async def test_an_answer_without_its_marker_counts_where_it_refers_to_reports() -> None:
    assert (await reduced("Salt [reports: 1].")).answers == ("Salt [reports: 1].",)


async def test_an_answer_that_opens_like_an_abstention_is_one_where_it_refers_to_reports() -> None:
    text = "There is no single trade: Varde sells salt [reports: 1]."
    assert (await reduced(f"FINAL ANSWER: {text}")).text == text


async def test_not_knowing_is_an_abstention() -> None:
    draft = await reduced("FINAL ANSWER: I don't know.")
    assert draft.abstained
    assert draft.reason == "no_evidence"


async def test_without_points_no_model_is_asked() -> None:
    model, script = scripted_role("answerer", "FINAL ANSWER: x")

    draft = await reduce_answers(QUESTION, [], REPORTS, model, budget=1_000, temperature=0.0)

    assert draft.abstained
    assert script.calls == []


async def test_points_beyond_the_budget_are_left_out() -> None:
    model, script = scripted_role("answerer", "FINAL ANSWER: Salt. [reports: 1]")

    await reduce_answers(QUESTION, [CORN, SALT], REPORTS, model, budget=20, temperature=0.0)

    assert "corn" not in script.calls[0].text
    assert "salt" in script.calls[0].text


async def test_a_model_that_is_down_and_a_spent_budget_are_raised() -> None:
    with pytest.raises(ModelUnavailableError):
        await reduced(ConnectionError("down"))
    model, _ = scripted_role("answerer", "x", limits=NO_CALLS)
    with pytest.raises(BudgetExceededError):
        await reduce_answers(
            QUESTION,
            [SALT],
            REPORTS,
            model,
            budget=1_000,
            temperature=0.0,
        )


def test_points_are_joined_without_a_model() -> None:
    draft = join_answers([CORN, SALT], REPORTS, 1_000)
    assert draft.text.startswith("- Varde sells salt. [reports: 1]")
    assert draft.reports == (ON_VARDE, ON_RIBE)
    assert join_answers([], REPORTS, 1_000).abstained
