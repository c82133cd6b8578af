"""Evidence as a row shows it."""

from __future__ import annotations

from hoptrail.core.types import Chunk, Entity, Evidence, Hit, Relation
from hoptrail.eval.evidence_record import record_evidence


def passage(number: int, doc_id: str) -> Hit[Chunk]:
    return Hit(Chunk(f"c{number}", doc_id, doc_id.upper(), "text", 0, 4), 1 / number, "text")


EVIDENCE = Evidence(
    chunks=(passage(1, "a"), passage(2, "b"), passage(3, "a"), passage(4, "c"), passage(5, "a"))
)


def test_passages_are_listed_until_enough_documents_are_among_them() -> None:
    listed = record_evidence(EVIDENCE, documents=2)["passages"]
    assert [(p["rank"], p["chunk_id"]) for p in listed] == [(1, "c1"), (2, "c2"), (3, "c3")]


def test_all_passages_are_listed_where_documents_are_few() -> None:
    assert len(record_evidence(EVIDENCE, documents=10)["passages"]) == 5


def test_a_passage_has_the_fields_of_the_contract() -> None:
    assert record_evidence(EVIDENCE)["passages"][1] == {
        "rank": 2,
        "chunk_id": "c2",
        "doc_id": "b",
        "title": "B",
        "score": 0.5,
        "channel": "text",
        "text": "text",
    }


def test_relations_and_entities_have_the_fields_of_the_contract() -> None:
    relation = Relation("r", "e1", "on", "e2", chunk_ids=("c1",), subject="Paris", object="Seine")
    evidence = Evidence(
        entities=(Hit(Entity("e1", "Paris", "city"), 0.5),), relations=(Hit(relation, 0.25),)
    )
    record = record_evidence(evidence)
    assert record["entities"] == [{"id": "e1", "name": "Paris", "type": "city", "score": 0.5}]
    (shown,) = record["relations"]
    assert shown.pop("chunk_ids") == ["c1"]
    assert shown == {"subject": "Paris", "predicate": "on", "object": "Seine", "score": 0.25}
