"""References in the prose of imported reports."""

from __future__ import annotations

from hoptrail.indexing.given_graphs.ms_graphrag.communities import (
    References,
    references,
    without_references,
)
from hoptrail.indexing.given_graphs.ms_graphrag.graph import relation_id
from hoptrail.indexing.given_graphs.ms_graphrag.records import (
    GivenEntity,
    GivenIndex,
    GivenReport,
    Relationship,
    TextUnit,
)

INDEX = GivenIndex(
    [],
    [TextUnit("u1", 0, "", ()), TextUnit("u2", 1, "", ())],
    [GivenEntity("e", 4, "MIRA", "", "", ("u1", "u2"))],
    [Relationship(7, "MIRA", "SEA", "", 1.0, ("u2",)), Relationship(8, "SEA", "SEA", "", 1.0, ())],
    [],
    [],
)
CHUNK_IDS = {"u1": "p1", "u2": "p2"}


def rests_on(explanation: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    report = GivenReport(0, "", "", 0.0, "", (("", explanation),))
    (finding,) = References(INDEX, CHUNK_IDS).findings(report)
    return finding.relation_ids, finding.chunk_ids


def test_the_prose_is_left_without_references() -> None:
    text = "She rows [Data: Entities (4); Relationships (7, +more)]. He waits [sic]."
    assert without_references(text) == "She rows. He waits [sic]."


def test_references_are_read_in_order_whatever_joins_them() -> None:
    found = references("[Data: Entities (4, 5), Relationships (7,+more)] and [Data: Sources (1)]")
    assert list(found) == [
        ("entities", 4), ("entities", 5), ("relationships", 7), ("sources", 1)
    ]  # fmt: skip


def test_a_relation_brings_its_passages() -> None:
    assert rests_on("[Data: Entities (4); Relationships (7)]") == (
        (relation_id("MIRA", "SEA"),),
        ("p2",),
    )


def test_an_entity_alone_brings_the_passages_that_mention_it() -> None:
    assert rests_on("[Data: Entities (4)]") == ((), ("p1", "p2"))


def test_a_source_is_a_passage() -> None:
    assert rests_on("[Data: Sources (0)]") == ((), ("p1",))


def test_references_to_nothing_are_removed() -> None:
    assert rests_on("[Data: Relationships (8, 99); Reports (1)]") == ((), ())
