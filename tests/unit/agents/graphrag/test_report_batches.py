from __future__ import annotations

from dataclasses import replace

from hoptrail.agents.graphrag.report_batches import batch_reports, lay_out_reports, numbered_report
from hoptrail.core.tokens import estimate_tokens
from tests.unit.agents.town_reports import RIBE, VARDE

REPORTS = [replace(VARDE, id=f"c{number}", title=f"Town {number}") for number in range(1, 9)]


def test_every_report_is_in_one_batch_under_its_number() -> None:
    batches = batch_reports(REPORTS, 100, seed=1)

    dealt = {number: report for batch in batches for number, report in batch.items()}
    assert {number: report.title for number, report in dealt.items()} == {
        number: f"Town {number}" for number in range(1, 9)
    }
    assert sum(map(len, batches)) == 8
    assert all(list(batch) == sorted(batch) for batch in batches)


def test_no_batch_exceeds_the_budget() -> None:
    batches = batch_reports(REPORTS, 100, seed=1)

    assert 1 < len(batches) < 8
    assert all(estimate_tokens(lay_out_reports(batch, 100)) <= 100 for batch in batches)


def test_the_seed_decides_what_is_read_together() -> None:
    first = batch_reports(REPORTS, 100, seed=1)
    assert batch_reports(REPORTS, 100, seed=1) == first
    assert any(batch_reports(REPORTS, 100, seed=seed) != first for seed in (2, 3))


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
    budget = sum(estimate_tokens(numbered_report(1, report, 1_000)) for report in REPORTS) - 1

    batches = batch_reports(REPORTS, budget, seed=1)

    assert sorted(map(len, batches)) == [4, 4]


def test_reports_that_do_not_fill_up_their_batches_leave_none_nearly_empty() -> None:
    budget = round(1.7 * estimate_tokens(numbered_report(1, VARDE, 1_000)))

    assert sorted(map(len, batch_reports(REPORTS[:3], budget, seed=1))) == [1, 1, 1]
    assert sorted(map(len, batch_reports(REPORTS[:5], 2 * budget, seed=1))) == [2, 3]


def test_without_reports_there_is_no_batch() -> None:
    assert batch_reports([], 100, seed=1) == []
