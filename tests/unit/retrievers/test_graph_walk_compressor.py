from __future__ import annotations

import pytest

from hoptrail.core.render import render
from hoptrail.core.types import Chunk, Entity, Evidence, Hit, Relation
from hoptrail.retrievers.graph_walk_compressor import (
    GraphWalkCompressor,
    QuestionWords,
    distances,
)

CHAIN = ("Morning Tern", "Alder Yard", "Edda Thorn", "Brackenholm", "River Ulm")


def chunk(number: int, text: str) -> Hit[Chunk]:
    return Hit(Chunk(f"c{number}", f"d{number}", f"Title {number}", text, 0, len(text)), 1 - number)


def entity(name: str, *chunk_ids: str, description: str = "told of") -> Hit[Entity]:
    return Hit(Entity(name, name, description=description, chunk_ids=chunk_ids))


def relation(source: str, target: str, *chunk_ids: str) -> Hit[Relation]:
    id_ = f"{source}>{target}"
    return Hit(Relation(id_, source, "leads to", target, "", 1.0, chunk_ids, source, target), 0.5)


@pytest.fixture
def evidence() -> Evidence:
    return Evidence(
        entities=(
            *(entity(name, f"c{place}") for place, name in enumerate(CHAIN)),
            entity("Stone Bridge", "c3"),
            entity("Far Island", "c9"),
        ),
        relations=tuple(
            relation(source, target, f"c{place}")
            for place, (source, target) in enumerate(zip(CHAIN, CHAIN[1:], strict=False))
        ),
        chunks=tuple(
            chunk(number, f"Passage {number} about something. " * 4) for number in range(8)
        ),
    )


def hops(evidence: Evidence) -> dict[str, int | None]:
    return {hit.item.name: hit.hop for hit in evidence.entities}


def test_entities_are_tagged_with_their_distance(evidence: Evidence) -> None:
    kept = GraphWalkCompressor().compress("Who built the Morning Tern?", evidence)
    assert [hops(kept)[name] for name in CHAIN[:4]] == [0, 1, 2, 3]


def test_the_walk_ends_after_its_hops(evidence: Evidence) -> None:
    kept = GraphWalkCompressor(hops=1).compress("Who built the Morning Tern?", evidence)
    assert [hit.item.id for hit in kept.relations] == [
        "Morning Tern>Alder Yard",
        "Alder Yard>Edda Thorn",
    ]


def test_an_entity_in_a_reached_passage_joins(evidence: Evidence) -> None:
    kept = GraphWalkCompressor().compress("Who built the Morning Tern?", evidence)
    assert hops(kept)["Stone Bridge"] == 4
    assert "Far Island" not in hops(kept)


def test_passages_keep_their_rank_and_learn_their_hop(evidence: Evidence) -> None:
    kept = GraphWalkCompressor().compress("Who built the Morning Tern?", evidence)
    assert [hit.item.id for hit in kept.chunks] == [f"c{number}" for number in range(8)]
    assert [hit.hop for hit in kept.chunks[:5]] == [0, 1, 2, 3, None]


def test_without_a_seed_the_evidence_stays(evidence: Evidence) -> None:
    assert GraphWalkCompressor(budget=50).compress("Why is it so?", evidence) is evidence


@pytest.mark.parametrize("budget", [60, 120, 250, 500])
def test_the_rendered_rest_fits_the_budget(evidence: Evidence, budget: int) -> None:
    kept = GraphWalkCompressor(budget=budget).compress("Who built the Morning Tern?", evidence)
    rendered = render(kept, 10_000)
    assert rendered.tokens <= budget
    assert render(kept, budget).evidence == kept


def test_question_words_lift_a_passage_when_room_is_short(evidence: Evidence) -> None:
    told = chunk(7, "The shipwright was paid in copper coins by the harbour office. " * 3)
    crowded = Evidence(evidence.entities, evidence.relations, (*evidence.chunks[:7], told))
    question = "Which shipwright of the Morning Tern was paid in copper coins?"
    kept = GraphWalkCompressor(budget=340).compress(question, crowded)
    assert "c7" in [hit.item.id for hit in kept.chunks]
    assert "c0" in [hit.item.id for hit in kept.chunks]
    assert len(kept.chunks) < 8


def test_a_graph_without_passages_gets_the_whole_budget(evidence: Evidence) -> None:
    bare = Evidence(evidence.entities, evidence.relations)
    kept = GraphWalkCompressor(budget=200).compress("Who built the Morning Tern?", bare)
    assert len(kept.relations) == 4


def test_bare_names_are_left_to_passages_and_relations(evidence: Evidence) -> None:
    nameless = Evidence(
        tuple(entity(name, description="") for name in CHAIN), evidence.relations, evidence.chunks
    )
    kept = GraphWalkCompressor().compress("Who built the Morning Tern?", nameless)
    assert not kept.entities
    assert kept.relations


def test_compressing_twice_changes_nothing_more(evidence: Evidence) -> None:
    compressor = GraphWalkCompressor(budget=250)
    question = "Who built the Morning Tern?"
    once = compressor.compress(question, evidence)
    twice = compressor.compress(question, once)
    assert [hit.item.id for hit in twice.chunks] == [hit.item.id for hit in once.chunks]


def test_distances_ignore_the_direction_of_relations() -> None:
    relations = [relation("b", "a"), relation("b", "c"), relation("x", "y")]
    assert distances(["a"], relations, hops=2) == {"a": 0, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("name", "question", "expected"),
    [
        ("Alder Yard", "who founded the ALDER YARD?", True),
        ("Thorn, Edda", "was Edda really a Thorn?", True),
        ("Founder Museum", "who was the founder?", True),
        ("Yard Boat", "who left the yard?", False),
        ("These Days", "what are these?", False),
        ("Ulm", "is it the Ulmus tree?", False),
    ],
)
def test_what_matches_the_question(name: str, question: str, expected: bool) -> None:
    assert QuestionWords.of(question).matches(Entity("e", name)) is expected


def test_an_alias_matches_too() -> None:
    aliased = Entity("e", "E. Thorn", aliases=("Edda Thorn",))
    assert QuestionWords.of("Where was Edda Thorn born?").matches(aliased)


def test_a_rare_question_word_counts_more() -> None:
    asked = QuestionWords.of("copper coins harbour")
    rare, common, neither = asked.overlap(["copper", "harbour", "harbour"][:2] + ["nothing"])
    assert rare == common > neither == 0
    overlap = asked.overlap(["copper", "harbour", "harbour"])
    assert overlap[0] > overlap[1] == overlap[2]
