from __future__ import annotations

from dataclasses import replace

from hoptrail.agents.community_reports.report_material import ReportMaterial
from hoptrail.agents.community_reports.report_prompt import Reference, lay_out
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Community, Finding
from tests.unit.agents.harbours import BUILT, HARBOURS, SAILS, WIDENED

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


def references(material: ReportMaterial, budget: int) -> tuple[Reference, ...]:
    return lay_out(material, budget).references


def test_each_number_stands_for_the_relation_or_passage_behind_it() -> None:
    laid_out = lay_out(HARBOURS, 1000)
    relations = [Reference(relation_ids=(r.id,)) for r in (SAILS, WIDENED, BUILT)]
    assert laid_out.references == (*relations, Reference(chunk_ids=("p1",)))
    assert "[3] Ida Holm | built the harbour of | Varde" in laid_out.text
    assert "[4] Port Elm\n<passage>" in laid_out.text


def test_entities_are_described_where_something_is_known_of_them() -> None:
    assert "- 1921 (date)" in lay_out(HARBOURS, 1000).text


def test_relations_leave_half_of_the_room_to_the_passages() -> None:
    many = replace(
        HARBOURS, relations=tuple(replace(BUILT, id=f"r{n}") for n in range(100)), entities=()
    )
    laid_out = lay_out(many, 400)
    assert laid_out.references[-1] == Reference(chunk_ids=("p1",))
    assert estimate_tokens(laid_out.text) <= 400


def test_relations_that_fit_need_no_report_of_the_parts() -> None:
    assert "The north" not in lay_out(DIVIDED, 1000).text


def test_the_largest_part_is_told_by_its_report_first_where_relations_do_not_fit() -> None:
    laid_out = lay_out(DIVIDED, 78)
    assert "The north (3 entities): Ships and storms." in laid_out.text
    assert "The south" not in laid_out.text
    assert laid_out.references == (
        Reference(("r1",), ("p1",)),
        Reference(("r1",), ("p1",)),
        Reference(("r2",)),
    )


def test_what_a_hidden_relation_would_have_told_is_told_by_the_next_one() -> None:
    told = [replace(relation, description="All is salt.") for relation in (SAILS, WIDENED, BUILT)]
    described = tuple(replace(entity, type="port") for entity in HARBOURS.entities)
    material = replace(DIVIDED, relations=tuple(told), entities=described, child_of={"r1": "n"})
    text = lay_out(replace(material, children=(NORTH,), relation_count=5000), 1000).text
    assert "Ships sail" in text
    assert "sails to" not in text
    assert text.count("All is salt.") == 1
    assert "- Varde (port)" in text


def test_relations_that_were_not_even_loaded_count_as_not_fitting() -> None:
    laid_out = lay_out(replace(DIVIDED, relation_count=5000), 1000)
    assert "The north" in laid_out.text
    assert "The south" in laid_out.text


def test_reports_that_do_not_fit_whole_lose_their_findings_and_then_their_place() -> None:
    long = replace(NORTH, findings=(Finding("Salt " * 300, "", ("r1",)),))
    material = replace(DIVIDED, children=(long, SOUTH), relation_count=5000)
    laid_out = lay_out(material, 120)
    assert "The north" in laid_out.text
    assert "Salt Salt" not in laid_out.text
    assert "She built." in laid_out.text
    assert lay_out(material, 22).references == ()
