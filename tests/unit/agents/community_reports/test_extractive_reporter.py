from __future__ import annotations

from dataclasses import replace

import pytest

from hoptrail.agents.community_reports.extractive_reporter import (
    choose_statements,
    extractive_report,
)
from hoptrail.agents.community_reports.report_statements import ReportMaterial, Statement
from hoptrail.core.types import Community, Entity, Finding, Relation
from tests.unit.agents.harbours import HARBOURS

TEXT = "Ships sail from the old harbour to the island every week."


def report_on(material: ReportMaterial) -> Community:
    report = extractive_report(material)
    assert report is not None
    return report


def test_the_title_names_central_things_and_no_dates() -> None:
    assert report_on(HARBOURS).title == "Varde, Port Elm and Ida Holm"


def test_a_title_does_not_repeat_a_name_in_a_longer_one() -> None:
    entities = (replace(HARBOURS.entities[0], name="Elm"), *HARBOURS.entities[1:])
    longer = Entity("e9", "Varde Harbour")
    title = report_on(replace(HARBOURS, entities=(*entities, longer))).title
    assert title == "Varde, Elm and Ida Holm"


def test_a_group_too_large_to_read_is_named_by_its_entities_with_most_relations() -> None:
    large = replace(HARBOURS, relation_count=30)
    assert report_on(large).title == "Port Elm, Varde and Ida Holm"


def test_names_in_a_script_without_case_may_be_short() -> None:
    renamed = zip(HARBOURS.entities, ("李白", "杜甫", "长安城", "Bo"), strict=True)
    entities = tuple(replace(entity, name=name) for entity, name in renamed)
    assert report_on(replace(HARBOURS, entities=entities)).title == "李白, 杜甫 and 长安城"


def test_years_make_a_title_where_nothing_else_does() -> None:
    years = tuple(replace(e, name=f"190{n}") for n, e in enumerate(HARBOURS.entities))
    assert report_on(replace(HARBOURS, entities=years)).title == "1900, 1901 and 1902"


@pytest.mark.parametrize("named", [0, 1, 2])
def test_a_part_of_fewer_than_three_named_things_has_nothing_to_tell(named: int) -> None:
    entities = tuple(
        replace(entity, name=entity.name if place < named else "m.0abc")
        for place, entity in enumerate(HARBOURS.entities)
    )
    assert extractive_report(replace(HARBOURS, entities=entities)) is None


def test_a_group_that_is_part_of_none_tells_how_two_things_are_related() -> None:
    two = replace(HARBOURS, entities=HARBOURS.entities[:2])
    assert extractive_report(two) is None
    assert extractive_report(replace(two, community=replace(two.community, parent=None)))


def test_dates_are_no_things_that_a_group_is_about() -> None:
    dated = (HARBOURS.entities[0], *(replace(e, type="date") for e in HARBOURS.entities[1:]))
    assert extractive_report(replace(HARBOURS, entities=dated)) is None


def test_findings_are_sentences_with_what_they_rest_on() -> None:
    first, second, *_ = report_on(HARBOURS).findings
    assert first == Finding(
        "Varde and Port Elm",
        "Ships sail from Port Elm to Varde every week.",
        ("r1",),
        ("p1",),
    )
    assert second == Finding(
        "Varde and Ida Holm",
        "Ida Holm built the harbour of Varde with money from Port Elm.",
        ("r2",),
        ("p1",),
    )


def test_a_sentence_that_does_not_stand_alone_comes_last() -> None:
    assert report_on(HARBOURS).findings[-1].summary == "It was widened in 1921."


def test_the_summary_tells_size_names_and_key_sentences() -> None:
    summary = report_on(HARBOURS).summary
    assert summary.startswith("4 entities around Varde, Port Elm and Ida Holm.")
    assert "Ships sail from Port Elm to Varde every week." in summary


def test_recurring_words_are_themes_unless_they_stand_everywhere() -> None:
    salted = tuple(
        replace(relation, description=f"{relation.subject} sold salt and was old in year {n}.")
        for n, relation in enumerate(HARBOURS.relations)
    )
    material = replace(HARBOURS, relations=salted, common_words=frozenset({"old"}))
    assert "Recurring words: salt, sold, year." in report_on(material).summary


def test_the_same_sentence_is_told_once_with_all_its_relations() -> None:
    sentence = "Ida Holm and Port Elm built the harbour of Varde together."
    same = tuple(replace(relation, description=sentence) for relation in HARBOURS.relations)
    (finding,) = report_on(replace(HARBOURS, relations=same)).findings
    assert finding.relation_ids == ("r1", "r3", "r2")


def test_a_bare_graph_is_told_by_its_triples() -> None:
    films = [("Elm", "f1"), ("Oak", "f2"), ("Ash", "f3")]
    relations = tuple(
        Relation(f"r{id_}", id_, "directed_by", "e3", subject=name, object="Ida Holm")
        for name, id_ in films
    )
    entities = (Entity("e3", "Ida Holm"), *(Entity(id_, name) for name, id_ in films))
    material = ReportMaterial(Community("c", 0, size=4), entities, relations, relation_count=3)
    report = report_on(material)
    assert report.title.startswith("Ida Holm")
    assert "Recurring" not in report.summary
    (finding,) = report.findings
    assert finding.explanation == "Elm, Oak and Ash directed by Ida Holm."
    assert finding.relation_ids == ("rf1", "rf2", "rf3")
    assert finding.chunk_ids == ()


def test_the_findings_of_the_parts_are_heard_too() -> None:
    found = Finding(
        "The storm", "A storm broke the pier of Skagen in the winter.", ("r8",), ("p8",)
    )
    part = Community("s", 2, "Skagen", "A pier.", findings=(found,), size=20)
    report = report_on(replace(HARBOURS, children=(part,)))
    assert Finding("The storm", found.explanation, ("r8",), ("p8",)) in report.findings


@pytest.mark.parametrize(("inside", "rating"), [(30, 10.0), (0, 0.0), (3, 4.0)])
def test_the_rating_is_the_share_of_the_graph_on_a_logarithmic_scale(
    inside: int, rating: float
) -> None:
    assert report_on(replace(HARBOURS, relation_count=inside)).rating == rating


def test_rows_of_a_table_are_findings_and_no_summary() -> None:
    berths = [
        Relation(f"r{n}", "e1", "berth", "e2", description=f"Berth: Hall {n}; Price: {n}00")
        for n in (1, 2)
    ]
    report = report_on(replace(HARBOURS, relations=tuple(berths), chunks=()))
    assert "Price" not in report.summary
    assert report.findings[0].summary == "Berth: Hall 1; Price: 100"


def test_the_same_material_gives_the_same_report() -> None:
    assert extractive_report(HARBOURS) == extractive_report(replace(HARBOURS))


def test_without_relations_there_is_nothing_to_report() -> None:
    assert extractive_report(replace(HARBOURS, relations=())) is None


def test_of_statements_that_say_as_much_the_first_come_first() -> None:
    told = [Statement(TEXT, (f"a{n}", f"b{n}", f"c{n}")) for n in range(40)]
    worth = {"a": 0.1, "b": 0.2, "c": 0.3}  # their sum depends on the order of adding
    weights = {f"{unit}{n}": weight for n in range(40) for unit, weight in worth.items()}
    assert choose_statements(told, weights, len(told)) == told


def test_what_was_said_already_counts_for_nothing() -> None:
    told = [Statement(TEXT, ends) for ends in (("a", "b"), ("a",), ("c",), ("b",))]
    weights = {"a": 2.0, "b": 2.0, "c": 1.0}
    assert choose_statements(told, weights, 4) == [told[0], told[2]]


def test_one_statement_is_chosen_even_if_it_adds_nothing() -> None:
    told = [Statement(TEXT), Statement("It sank.")]
    assert choose_statements(told, {}, 3) == told[:1]
    assert choose_statements([], {}, 3) == []
