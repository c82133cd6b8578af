from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hoptrail.agents.graphrag.community_mapper import (
    PartialAnswer,
    batch_reports,
    lay_out_reports,
    map_communities,
    numbered_report,
    ranked,
)
from hoptrail.core.budget import Limits
from hoptrail.core.tokens import estimate_tokens
from hoptrail.testing import HashingEmbedder
from tests.unit.agents.role_models import NO_CALLS, scripted_role
from tests.unit.agents.town_reports import QUESTION, REPORTS, RIBE, TRADE, VARDE

TOWNS = [replace(VARDE, id=f"c{number}", title=f"Town {number}") for number in range(1, 9)]

embed = HashingEmbedder().embed


def test_every_report_is_in_one_batch_under_its_number() -> None:
    batches = batch_reports(TOWNS, 100, seed=1)

    dealt = {number: report for batch in batches for number, report in batch.items()}
    assert {number: report.title for number, report in dealt.items()} == {
        number: f"Town {number}" for number in range(1, 9)
    }
    assert sum(map(len, batches)) == 8
    assert all(list(batch) == sorted(batch) for batch in batches)


def test_no_batch_exceeds_the_budget() -> None:
    batches = batch_reports(TOWNS, 100, seed=1)

    assert 1 < len(batches) < 8
    assert all(estimate_tokens(lay_out_reports(batch, 100)) <= 100 for batch in batches)


def test_the_seed_decides_what_is_read_together() -> None:
    first = batch_reports(TOWNS, 100, seed=1)
    assert batch_reports(TOWNS, 100, seed=1) == first
    assert any(batch_reports(TOWNS, 100, seed=seed) != first for seed in (2, 3))


def test_a_report_that_is_too_long_has_a_batch_to_itself_and_loses_findings() -> None:
    budget = estimate_tokens(numbered_report(1, replace(VARDE, findings=()), 10_000)) + 2

    batches = batch_reports([VARDE, RIBE], budget, seed=1)

    assert sorted(map(list, batches)) == [[1], [2]]
    assert "every year" not in lay_out_reports({1: VARDE}, budget)


def test_a_report_is_laid_out_with_its_findings() -> None:
    assert numbered_report(3, VARDE, 1_000) == (
        "[3] Varde and its salt (rating 7 of 10)\n"
        "Varde lives on salt.\n"
        "  - Salt trade: Varde sells salt to Ribe every year.\n"
        "  - Varde is old"
    )


def test_what_is_just_too_much_for_one_batch_is_shared_evenly() -> None:
    budget = sum(estimate_tokens(numbered_report(1, report, 1_000)) for report in TOWNS) - 1

    batches = batch_reports(TOWNS, budget, seed=1)

    assert sorted(map(len, batches)) == [4, 4]


def test_reports_that_do_not_fill_up_their_batches_leave_none_nearly_empty() -> None:
    budget = round(1.7 * estimate_tokens(numbered_report(1, VARDE, 1_000)))

    assert sorted(map(len, batch_reports(TOWNS[:3], budget, seed=1))) == [1, 1, 1]
    assert sorted(map(len, batch_reports(TOWNS[:5], 2 * budget, seed=1))) == [2, 3]


def test_without_reports_there_is_no_batch() -> None:
    assert batch_reports([], 100, seed=1) == []


async def mapped(*replies: Any, reports: Any = REPORTS) -> tuple[PartialAnswer, ...]:
    model, _ = scripted_role("reporter", *replies)
    return await map_communities(QUESTION, reports, model, embed, budget=1_000)


def points(*given: Any) -> dict[str, list[Any]]:
    return {"points": list(given)}


async def test_a_batch_is_read_by_number_and_gives_partial_answers() -> None:
    point = {"text": "Salt feeds  Varde.", "helpfulness": 80, "reports": [1]}
    model, script = scripted_role("reporter", points(point))

    found = await map_communities(QUESTION, REPORTS, model, embed, budget=1_000)

    assert found == (PartialAnswer("Salt feeds Varde.", 80, (1,)),)
    assert "[2] Ribe and its mill" in script.calls[0].text
    assert script.calls[0].role == "reporter"
    assert script.calls[0].question == QUESTION


@pytest.mark.parametrize(
    ("point", "read"),
    [
        ({"text": "a", "helpfulness": 250, "reports": [1]}, PartialAnswer("a", 100, (1,))),
        ({"text": "a", "helpfulness": "85/100", "reports": "2"}, PartialAnswer("a", 85, (2,))),
        ({"text": "a", "helpfulness": 0.5, "reports": [1]}, PartialAnswer("a", 50, (1,))),
        ({"text": "a", "reports": [2, 9, 2]}, PartialAnswer("a", 1, (2,))),
        ({"text": "a [reports: 2]", "helpfulness": 5}, PartialAnswer("a", 5, (2,))),
        ({"text": "a", "helpfulness": 0, "reports": [1]}, None),
        ({"text": "a", "helpfulness": -3, "reports": [1]}, None),
        ({"text": "a", "helpfulness": 50, "reports": [9]}, None),
        ({"text": "a", "helpfulness": 50}, None),
        ({"text": " ", "helpfulness": 50, "reports": [1]}, None),
        ("no object", None),
    ],
)
async def test_a_bad_point_is_repaired_or_dropped_alone(
    point: Any, read: PartialAnswer | None
) -> None:
    good = PartialAnswer("good", 60, (2,))
    found = await mapped(points(good.to_json(), point))
    assert found == ((good, read) if read else (good,))


async def test_a_point_on_the_only_report_needs_no_number() -> None:
    found = await mapped(points({"text": "a", "helpfulness": 9}), reports={4: RIBE})
    assert found == (PartialAnswer("a", 9, (4,)),)


@pytest.mark.parametrize("reply", ["", "nonsense", "I cannot help with that.", '{"points": 7'])
async def test_a_reply_that_cannot_be_read_costs_its_batch_alone(reply: str) -> None:
    model, _ = scripted_role("reporter", reply)
    question = "Who sells salt?"

    found = await map_communities(question, REPORTS, model, embed, budget=1_000)

    assert model.meter.degraded == (not reply.startswith("{"))
    assert all(answer.reports in {(1,), (2,)} for answer in found)


@pytest.mark.parametrize(
    ("reply", "limits", "calls"), [(ConnectionError("down"), None, 1), ("{}", NO_CALLS, 0)]
)
async def test_a_model_that_is_down_or_a_spent_budget_leaves_it_to_the_findings(
    reply: Any, limits: Limits | None, calls: int
) -> None:
    model, script = scripted_role("reporter", reply, limits=limits)

    found = await map_communities("Salt?", REPORTS, model, embed, budget=1_000)

    assert model.meter.degraded
    assert found[0].text == "Varde sells salt to Ribe every year."
    assert len(script.calls) == calls


async def test_an_oversized_reply_is_cut() -> None:
    many = [{"text": "word " * 5_000, "helpfulness": 50, "reports": [1]}] * 50
    found = await mapped(points(*many))
    assert len(found) == 8
    assert all(len(answer.text) <= 1_502 for answer in found)


async def test_without_a_model_the_nearest_sentences_are_scored_by_similarity() -> None:
    question = TRADE.explanation

    found = await map_communities(question, REPORTS, None, embed, budget=1_000)

    assert found[0] == PartialAnswer(question, 100, (1,))
    assert all(0 < answer.helpfulness <= 100 for answer in found)


async def test_without_a_model_a_broad_question_gets_summaries_by_rating() -> None:
    question = "What are the main themes?"

    found = await map_communities(question, REPORTS, None, embed, budget=1_000)

    assert found == (
        PartialAnswer("Varde lives on salt.", 70, (1,)),
        PartialAnswer("Ribe lives on corn.", 50, (2,)),
    )


def test_ranking_does_not_depend_on_the_order_of_the_batches() -> None:
    answers = [PartialAnswer(t, h, (n,)) for t, h, n in (("a", 5, 2), ("b", 9, 3), ("c", 5, 1))]
    assert [one.text for one in ranked(answers)] == ["b", "c", "a"]
    assert ranked(answers[::-1]) == ranked([*answers, answers[0]])
