"""The values that flow through Hoptrail: JSON round trips, identities, merging."""

from __future__ import annotations

import json

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.types import (
    Answer,
    AnswerCandidate,
    Chunk,
    Citation,
    Community,
    Document,
    Entity,
    Evidence,
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    Hit,
    NodeUsage,
    Path,
    Plan,
    Record,
    Relation,
    Trail,
    TrailHop,
    Usage,
)

CHUNK = Chunk("c1", "wiki/1", "Paris", "Paris lies on the Seine.", 0, 24, 6)
RELATION = Relation("r1", "e1", "lies on", "e2", weight=2.0, chunk_ids=("c1",), subject="Paris")
ENTITY = Entity("e1", "Paris", "city", "Capital of France", ("Lutetia",), ("c1",))
EVIDENCE = Evidence(
    entities=(Hit(ENTITY, 0.9, "entity", 0),),
    relations=(Hit(RELATION, 0.8, "entity", 1, ("e1",)),),
    chunks=(Hit(CHUNK, 0.7, "text"),),
    paths=(Hit(Path((RELATION,), 0.5, "complete"), 0.5, "path"),),
    reports=(Hit(Community("m1", 0, "Cities", "About cities", 7.5, entity_ids=("e1",)), 0.1),),
)
ANSWER = Answer(
    question="Which river?",
    text="the Seine",
    answers=(AnswerCandidate("the Seine", "e2", 1.0),),
    trail=Trail((TrailHop(1, "Paris lies on the Seine", "Paris", "lies on", "Seine", True),)),
    citations=(Citation("c1", "wiki/1", "Paris", 0, 24, "Paris lies on the Seine."),),
    usage=Usage().add("answer", NodeUsage(1, 100, 20, 0.5, 0.001)),
)


@pytest.mark.parametrize(
    "value",
    [
        Document("wiki/1", "Paris", "Paris lies on the Seine.", "wiki", None, {"a": "b"}),
        EVIDENCE,
        ANSWER,
        Plan(("who?",), ("Paris",), ("rivers",)),
        Extraction((ExtractedEntity("Paris"),), (ExtractedRelation("Paris", "on", "Seine"),)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_survives_json(value: Record) -> None:
    assert type(value).from_json(json.loads(json.dumps(value.to_json()))) == value


def test_json_of_the_wrong_form_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="not a valid Chunk"):
        Chunk.from_json({"id": "c1"})


def test_the_printed_answer_has_the_names_of_the_contract() -> None:
    printed = ANSWER.to_contract()
    assert printed["answer"] == "the Seine"
    assert "text" not in printed
    assert printed["trail"][0]["supported"] is True
    assert {"answers", "citations", "usage", "stop_reason", "abstained"} <= printed.keys()
    assert printed["usage"]["by_node"]["answer"]["llm_calls"] == 1


def test_a_chunk_id_depends_on_document_place_and_text() -> None:
    ids = {
        Chunk.make_id("a/1", 0, 4, "text"),
        Chunk.make_id("a/2", 0, 4, "text"),
        Chunk.make_id("a/1", 1, 5, "text"),
        Chunk.make_id("a/1", 0, 4, "Text"),
    }
    assert len(ids) == 4
    assert all(len(chunk_id) == 16 and int(chunk_id, 16) >= 0 for chunk_id in ids)


def test_a_content_hash_tells_title_from_text() -> None:
    assert Document("x", "ab", "c").content_hash != Document("x", "a", "bc").content_hash
    assert Document("x", "a", "b").content_hash == Document("y", "a", "b", "src").content_hash


def test_a_relation_without_description_reads_as_its_triple() -> None:
    relation = Relation("r", "e1", "wrote", "e2", subject="Austen", object="Emma")
    assert relation.text == "Austen wrote Emma"


def test_usage_adds_up_by_node() -> None:
    usage = Usage().add("route", NodeUsage(1, 10, 1)).add("answer", NodeUsage(1, 100, 20))
    usage = usage.add("answer", NodeUsage(1, 50, 5))
    assert (usage.llm_calls, usage.tokens) == (3, 186)
    assert usage.by_node["answer"].prompt_tokens == 150


def test_a_trail_without_hops_has_no_supported_share() -> None:
    assert Trail().supported_share is None
    assert Trail((TrailHop(1, "a", supported=True), TrailHop(2, "b"))).supported_share == 0.5


def test_merging_keeps_the_better_hit_and_both_provenances() -> None:
    low = Evidence(chunks=(Hit(CHUNK, 0.2, "text", 2, ("a",)),))
    high = Evidence(chunks=(Hit(CHUNK, 0.9, "keyword", 3, ("b",)),))
    (hit,) = low.merge(high).chunks
    assert (hit.score, hit.channel, hit.hop, hit.provenance) == (0.9, "keyword", 2, ("a", "b"))


def test_merging_orders_by_score_and_keeps_everything() -> None:
    other = Chunk("c2", "wiki/2", "Seine", "A river.", 0, 8)
    merged = EVIDENCE.merge(Evidence(chunks=(Hit(other, 0.95, "text"),)))
    assert [hit.item.id for hit in merged.chunks] == ["c2", "c1"]
    assert merged.relations == EVIDENCE.relations


def test_references_hold_ids_but_no_text() -> None:
    references = EVIDENCE.references()
    assert references["chunks"] == [["c1", 0.7, "text"]]
    assert references["paths"][0][0] == ["r1"]
    assert "Seine" not in json.dumps(references)


def test_a_summary_names_the_first_five_titles_and_names_once_and_short() -> None:
    chunks = [Chunk(f"c{n}", f"d{n // 2}", f"Title {n // 2}", "", 0, 0) for n in range(14)]
    names = ["Ada", "word " * 40, "Bo", "Cy", "Di", "Ed"]
    entities = [Entity(f"e{n}", name) for n, name in enumerate(names)]

    summary = Evidence(
        entities=tuple(Hit(one) for one in entities), chunks=tuple(Hit(one) for one in chunks)
    ).summary()

    assert summary[0] == "14 passages, 6 entities"
    assert summary[1:6] == [f"Title {n}" for n in range(5)]
    assert [summary[6], *summary[8:]] == ["Ada", "Bo", "Cy", "Di"]
    assert summary[7].endswith(" …") and len(summary[7]) <= 82


def test_empty_evidence_says_so() -> None:
    assert Evidence().is_empty
    assert not EVIDENCE.is_empty


def test_interleaving_takes_turns_and_keeps_the_higher_score_at_the_first_place() -> None:
    a, b, c = (Chunk(name, "d", "", name, 0, 1) for name in "abc")
    left = Evidence(chunks=(Hit(a, 0.5), Hit(b, 0.4)))
    right = Evidence(chunks=(Hit(c, 0.9), Hit(a, 0.8)))

    merged = Evidence.interleave([left, right])

    assert [(hit.item.id, hit.score) for hit in merged.chunks] == [
        ("a", 0.8),
        ("c", 0.9),
        ("b", 0.4),
    ]


def test_a_hop_stored_without_support_has_the_one_that_supported_tells() -> None:
    stored = {"hop": 1, "claim": "a", "supported": True}
    assert TrailHop.from_json(stored).support == "stated"
    assert TrailHop.from_json({**stored, "supported": False}).support == "none"


def test_only_a_stated_hop_is_supported() -> None:
    assert TrailHop(1, "a", support="stated").supported
    assert not TrailHop(1, "a", support="partly").supported
