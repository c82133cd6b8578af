from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from hoptrail.agents.community_reports.model_reporter import (
    Reference,
    lay_out,
    reporter_key,
    write_report,
)
from hoptrail.agents.community_reports.report_statements import ReportMaterial
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Community, Finding
from tests.unit.agents.harbours import BUILT, HARBOURS, SAILS, WIDENED
from tests.unit.agents.role_models import scripted_role

NORTH = Community(
    "n",
    2,
    "The north",
    "Ships and storms.",
    findings=(Finding("Ships sail weekly.", "They carry salt.", ("r1",), ("p1",)),),
    size=3,
)
SOUTH = Community(
    "s", 2, "The south", "Ida Holm.", findings=(Finding("She built.", "", ("r2",)),), size=2
)
DIVIDED = replace(
    HARBOURS, chunks=(), children=(NORTH, SOUTH), child_of={"r1": "n", "r3": "n", "r2": "s"}
)


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


def references(material: ReportMaterial, budget: int) -> tuple[Reference, ...]:
    return lay_out(material, budget).references


def test_each_number_stands_for_the_relation_behind_it() -> None:
    laid_out = lay_out(replace(HARBOURS, chunks=()), 1000)
    relations = [Reference(relation_ids=(r.id,)) for r in (SAILS, WIDENED, BUILT)]
    assert laid_out.references == tuple(relations)
    assert "[3] Ida Holm | built the harbour of | Varde" in laid_out.text


def test_the_number_of_a_passage_stands_for_the_relations_that_it_tells_too() -> None:
    laid_out = lay_out(HARBOURS, 1000)
    ids = tuple(relation.id for relation in (SAILS, WIDENED, BUILT))
    assert laid_out.references == (Reference(ids, ("p1",)),)
    assert laid_out.text.startswith("Passages:\n[1] Port Elm\n<passage>")


def test_an_entity_of_which_something_is_known_has_a_number_to_be_cited_by() -> None:
    port, town, *others = HARBOURS.entities
    known = (replace(port, type="port"), replace(town, description="Varde is old."), *others)
    laid_out = lay_out(replace(HARBOURS, entities=known, chunks=()), 1000)
    assert "[1] Port Elm (port)\n[2] Varde: Varde is old.\nRelations:" in laid_out.text
    assert laid_out.references[:2] == (Reference(chunk_ids=("p1",)),) * 2
    assert "1921 (date)" not in laid_out.text


def test_an_entity_without_a_passage_is_told_by_the_relation_that_names_it_first() -> None:
    bare = tuple(replace(entity, type="port", chunk_ids=()) for entity in HARBOURS.entities)
    laid_out = lay_out(replace(HARBOURS, entities=bare, chunks=()), 1000)
    assert laid_out.references[0] == Reference(relation_ids=("r1",))


def test_a_shown_passage_needs_no_line_that_repeats_it() -> None:
    together = replace(BUILT, predicate="co-occurs with")
    port = replace(HARBOURS.entities[0], description="Port Elm is a harbour on the River Storm.")
    material = replace(HARBOURS, relations=(SAILS, together), entities=(port,))
    text = lay_out(material, 1000).text
    assert "sails to | Varde" not in text
    assert text.count("Port Elm is a harbour") == 1
    assert "co-occurs with" in lay_out(replace(material, chunks=()), 1000).text


def test_what_a_relation_without_words_means_is_said_where_there_is_one() -> None:
    bare = replace(HARBOURS, chunks=())
    together = tuple(replace(one, predicate="co-occurs with") for one in bare.relations)
    assert "two names share a sentence" not in lay_out(bare, 1000).text
    assert "two names share a sentence" in lay_out(replace(bare, relations=together), 1000).text


def test_relations_leave_half_of_the_room_to_the_passages() -> None:
    many = replace(
        HARBOURS, relations=tuple(replace(BUILT, id=f"r{n}") for n in range(100)), entities=()
    )
    laid_out = lay_out(many, 400)
    assert laid_out.references[-1].chunk_ids == ("p1",)
    assert estimate_tokens(laid_out.text) <= 400


def test_the_reports_of_the_parts_stand_for_the_relations_inside_them() -> None:
    laid_out = lay_out(DIVIDED, 1000)
    assert "The north (3 entities): Ships and storms." in laid_out.text
    assert laid_out.references == (
        Reference(("r1",), ("p1",)),
        Reference(("r1",), ("p1",)),
        Reference(("r2",)),
        Reference(("r2",)),
    )


def test_a_part_without_a_report_is_told_by_its_relations() -> None:
    laid_out = lay_out(replace(DIVIDED, children=(NORTH,)), 1000)
    assert laid_out.references[2:] == (Reference(("r2",)),)


def test_a_passage_that_a_shown_report_rests_on_is_not_read_again() -> None:
    both = replace(DIVIDED, chunks=HARBOURS.chunks, child_of={"r1": "n"}, children=(NORTH,))
    assert "<passage>" not in lay_out(both, 1000).text
    untold = replace(NORTH, findings=(Finding("Ships sail.", "", ("r1",)),))
    assert "<passage>" in lay_out(replace(both, children=(untold,)), 1000).text


def test_of_parts_that_do_not_all_fit_the_largest_are_told() -> None:
    laid_out = lay_out(DIVIDED, 50)
    assert "The north" in laid_out.text
    assert "The south" not in laid_out.text


def test_what_a_hidden_relation_would_have_told_is_told_by_the_next_one() -> None:
    told = [replace(relation, description="All is salt.") for relation in (SAILS, WIDENED, BUILT)]
    described = tuple(replace(entity, type="port") for entity in HARBOURS.entities)
    material = replace(DIVIDED, relations=tuple(told), entities=described, child_of={"r1": "n"})
    text = lay_out(replace(material, children=(NORTH,)), 1000).text
    assert "Ships sail" in text
    assert "sails to" not in text
    assert text.count("All is salt.") == 1
    assert "] Varde (port)" in text


def test_reports_that_do_not_fit_whole_lose_their_findings_and_then_their_place() -> None:
    long = replace(NORTH, findings=(Finding("Salt " * 300, "", ("r1",)),))
    material = replace(DIVIDED, children=(long, SOUTH))
    laid_out = lay_out(material, 120)
    assert "The north" in laid_out.text
    assert "Salt Salt" not in laid_out.text
    assert "She built." in laid_out.text
    assert lay_out(material, 22).references == ()
