from __future__ import annotations

from dataclasses import replace

from hoptrail.agents.verification.report_verifier import check_references
from hoptrail.agents.verification.verifier import Verification
from hoptrail.core.types import Community, Evidence, Hit, ReportReference
from hoptrail.core.types.draft import Draft
from tests.unit.agents.town_reports import (
    EVIDENCE,
    FARM,
    FLOOD,
    MILL,
    RAIN,
    RELATIONS,
    RUMOUR,
    SALT,
    TRADE,
    VARDE,
)


def checked(text: str, *reports: Community, evidence: Evidence = EVIDENCE) -> Verification:
    references = tuple(
        ReportReference(number, report.id, report.level, report.title)
        for number, report in enumerate(reports, start=1)
    )
    evidence = replace(evidence, reports=tuple(map(Hit, reports)))
    return check_references(Draft("map_reduce", (text,), reports=references), evidence)


def test_a_reference_resolves_to_a_relation_and_the_sentence_that_states_it() -> None:
    verdict = checked("Varde trades salt with Ribe. [reports: 1]", VARDE)

    [hop] = verdict.trail.hops
    assert hop.supported
    assert hop.claim == "report 1, Varde and its salt: Salt trade"
    assert (hop.subject, hop.predicate, hop.object) == ("Varde", "sells salt to", "Ribe")
    assert (hop.relation_id, hop.chunk_id, hop.doc_id) == ("r1", "salt", "d/salt")
    assert hop.quote == "Varde sells its salt to Ribe each spring."
    assert SALT.text[(hop.start or 0) - 100 : (hop.end or 0) - 100] == hop.quote
    assert verdict.reports == (ReportReference(1, "cv", 0, "Varde and its salt", (1,)),)
    assert [citation.quote for citation in verdict.citations] == [hop.quote]
    assert verdict.verified
    assert [answer.score for answer in verdict.answers] == [1.0]


def test_the_finding_nearest_to_the_citing_line_is_looked_up() -> None:
    report = replace(VARDE, findings=(TRADE, FLOOD))
    verdict = checked("Salt feeds one. [reports: 2]\nA mill stood the flood [reports: 1].", report)
    assert [hop.relation_id for hop in verdict.trail.hops] == ["r2"]


def test_findings_that_a_line_repeats_have_hops_of_their_own() -> None:
    report = replace(VARDE, findings=(TRADE, FLOOD, RAIN))
    line = "Varde sells salt to Ribe every year: salt trade. The mill Ida Holm built after a flood."
    verdict = checked(f"{line} [reports: 1]", report)
    assert [hop.relation_id for hop in verdict.trail.hops] == ["r1", "r2"]
    assert verdict.reports[0].hops == (1, 2)


def test_a_finding_without_relations_rests_on_a_passage_that_says_it() -> None:
    [hop] = checked("Varde is old. [reports: 1]", replace(VARDE, findings=(RAIN,))).trail.hops
    assert hop.supported
    assert hop.relation_id is None
    assert hop.quote == "Varde is old."


def test_a_bare_relation_supports_alone() -> None:
    verdict = checked("Krogh farms. [reports: 1]", replace(VARDE, findings=(FARM,)))
    [hop] = verdict.trail.hops
    assert hop.supported
    assert (hop.relation_id, hop.chunk_id) == ("r3", None)
    assert verdict.verified
    assert verdict.citations == ()


def test_a_passage_that_does_not_name_both_ends_states_no_relation() -> None:
    elsewhere = replace(RELATIONS[1], chunk_ids=("salt",))
    evidence = replace(EVIDENCE, relations=(Hit(elsewhere),))
    report = replace(VARDE, findings=(replace(FLOOD, chunk_ids=()),))
    verdict = checked("The mill. [reports: 1]", report, evidence=evidence)
    assert not verdict.verified
    assert verdict.citations == ()


def test_what_was_deleted_meanwhile_leaves_the_reference_unsupported() -> None:
    verdict = checked("A dragon. [reports: 1]", replace(VARDE, findings=(RUMOUR,)))
    [hop] = verdict.trail.hops
    assert not hop.supported
    assert hop.quote is None
    gone = check_references(
        Draft("map_reduce", ("x [reports: 1]",), reports=verdict.reports), Evidence()
    )
    assert gone.trail.hops == ()
    assert gone.reports[0].hops == ()


def test_another_finding_stands_in_for_one_that_rests_on_nothing() -> None:
    report = replace(VARDE, findings=(RUMOUR, TRADE))
    [hop] = checked("A dragon guards the bridge [reports: 1].", report).trail.hops
    assert hop.relation_id == "r1"


def test_a_line_of_references_alone_speaks_for_the_whole_answer() -> None:
    report = replace(VARDE, findings=(TRADE, FLOOD))
    [hop] = checked("A mill after a flood.\n\n[reports: 1]", report).trail.hops
    assert hop.chunk_id == MILL.id


def test_hops_are_numbered_through_all_reports() -> None:
    other = replace(VARDE, id="c2", title="Ribe", findings=(FLOOD,))
    verdict = checked("Salt [reports: 1]. Flood [reports: 2].", VARDE, other)
    assert [hop.hop for hop in verdict.trail.hops] == [1, 2]
    assert [reference.hops for reference in verdict.reports] == [(1,), (2,)]


def test_a_finding_that_its_quote_does_not_state_is_only_partly_supported() -> None:
    largest = replace(TRADE, summary="Varde is the largest harbour")
    [hop] = checked(
        "The largest harbour [reports: 1].", replace(VARDE, findings=(largest,))
    ).trail.hops
    assert hop.support == "partly"
    assert hop.quote == "Varde sells its salt to Ribe each spring."


def test_a_relation_that_the_quote_words_otherwise_is_only_partly_supported() -> None:
    gift = replace(RELATIONS[0], predicate="was founded by")
    evidence = replace(EVIDENCE, relations=(Hit(gift),))
    [hop] = checked(
        "Salt [reports: 1].", replace(VARDE, findings=(TRADE,)), evidence=evidence
    ).trail.hops
    assert hop.support == "partly"
