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
