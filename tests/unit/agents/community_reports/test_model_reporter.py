from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from hoptrail.agents.community_reports.model_reporter import reporter_key, write_report
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.types import Community, Finding
from tests.unit.agents.harbours import HARBOURS
from tests.unit.agents.role_models import scripted_role


def reply(*references: Any, **fields: Any) -> dict[str, Any]:
    findings = [{"summary": f"Finding {n}.", "references": ref} for n, ref in enumerate(references)]
    return {"title": "Ports", "summary": "Two ports.", "rating": 6, "findings": findings, **fields}


async def reported(*replies: Any) -> Community | None:
    """Return the report on harbours: relations 1 to 3 without their passage."""
    model, _ = scripted_role("reporter", *replies)
    return await write_report(replace(HARBOURS, chunks=()), model.chat, Meter("report"))


async def test_numbers_of_the_prompt_become_ids() -> None:
    report = await reported(reply([1, 3], [2]))
    assert report == Community(
        "c1",
        1,
        "Ports",
        "Two ports.",
        6.0,
        "",
        (
            Finding("Finding 0.", "", ("r1", "r2"), ("p1",)),
            Finding("Finding 1.", "", ("r3",), ("p1",)),
        ),
        "c0",
        4,
    )


async def test_a_reference_that_does_not_exist_is_removed() -> None:
    report = await reported(reply([0, 2, 99]))
    assert report is not None
    assert report.findings[0].relation_ids == ("r3",)


async def test_a_finding_without_a_reference_is_left_out() -> None:
    report = await reported(reply([99], [1], []))
    assert report is not None
    assert [finding.summary for finding in report.findings] == ["Finding 1."]


@pytest.mark.parametrize("references", [(), ([],), ([99], [77])])
async def test_a_report_without_any_reference_is_dropped(references: tuple[Any, ...]) -> None:
    assert await reported(reply(*references)) is None


async def test_an_oversized_reply_is_cut() -> None:
    endless = "Salt was shipped. " * 5000
    report = await reported(reply(*([1] for _ in range(50)), title=endless, summary=endless))
    assert report is not None
    assert len(report.title) <= 160
    assert len(report.summary) <= 2400
    assert report.summary.endswith("shipped.")
    assert len(report.findings) == 10


@pytest.mark.parametrize("bad", ["no JSON", "", {"title": "Ports"}])
async def test_an_unreadable_reply_is_asked_for_once_more(bad: Any) -> None:
    assert await reported(bad, reply([1])) is not None
    with pytest.raises(ModelReplyError):
        await reported(bad, bad)


async def test_a_refusal_is_an_error_that_says_so() -> None:
    refusal = AIMessage("", additional_kwargs={"refusal": "I cannot."})
    with pytest.raises(ModelReplyError, match="it refused"):
        await reported(refusal, refusal)


async def test_the_material_is_sent_as_data_to_the_reporter() -> None:
    model, script = scripted_role("reporter", reply([1]))
    await write_report(HARBOURS, model.chat, Meter("report"))
    (call,) = script.calls
    assert call.role == "reporter"
    assert call.messages[-1].text.startswith("<material>\nPassages:\n[1] Port Elm")


def test_reports_are_reused_under_the_same_model_prompt_and_budget_only() -> None:
    assert reporter_key("m") == reporter_key("m")
    assert len({reporter_key("m"), reporter_key("n"), reporter_key("m", 4000)}) == 3
