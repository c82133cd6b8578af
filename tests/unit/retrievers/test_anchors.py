from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from hoptrail.core.text import name_key
from hoptrail.core.types import Plan
from hoptrail.retrievers.anchors import (
    around_mask,
    is_name,
    named_entities,
    named_topics,
    stands_in,
)
from hoptrail.retrievers.base.query import Query
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.views import view_of

ENTITIES = ("Red Fern", "Fern", "Ida Holm", "what", "Ida Holm and the Sea", "O'Neill's Yard")


def named(kb: KnowledgeBase, question: str, plan: Plan | None = None) -> set[str]:
    view = view_of(kb)
    near = view.index.entity_ids
    rows = named_entities(Query(question, None, plan or Plan()), view, near)
    return {entity.name for entity in kb.store.entities([str(near[row]) for row in rows])}


def test_names_are_found_in_any_place_and_possessive(ships: KnowledgeBase) -> None:
    assert named(ships, "Who ran Alder Yard's dock when Edda Thorn left?") == {
        "Alder Yard",
        "Edda Thorn",
    }


def test_a_longer_name_hides_a_shorter_one(bare_graph: KnowledgeBase) -> None:
    assert named(bare_graph, "Is Morning Tern older than Tern?") == {"Morning Tern"}


def test_common_nouns_are_no_seeds(bare_graph: KnowledgeBase) -> None:
    assert named(bare_graph, "Which bread has rye in it?") == set()


def test_a_question_in_lower_case_names_entities_too(ships: KnowledgeBase) -> None:
    assert named(ships, "where was edda thorn born?") == {"Edda Thorn"}


def test_accents_may_be_missing(ships: KnowledgeBase) -> None:
    assert "Höfn Museum" in named(ships, "When did the Hofn Museum open?")


def test_the_plan_may_name_what_the_question_does_not(ships: KnowledgeBase) -> None:
    plan = Plan(entities=("edda thorn",))
    assert named(ships, "Where was she born?", plan) == {"Edda Thorn"}


def test_a_value_counts_only_where_nothing_else_is_named(ships: KnowledgeBase) -> None:
    assert named(ships, "Was Edda Thorn born in 1809?") == {"Edda Thorn"}
    assert named(ships, "Who was born in 1809?") == {"1809"}


def test_an_often_mentioned_entity_weighs_less(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    seeds = named_entities(Query("Morning Tern and Brackenholm", None, Plan()), view)
    mentions = {row: len(view.index.entity_chunks.row(row)) for row in seeds}
    by_weight = sorted(seeds, key=lambda row: -seeds[row])
    assert [mentions[row] for row in by_weight] == sorted(mentions.values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Alder", True), ("1871", True), ("the yard", False), ("港口", True), ("مرحبا", True)],
)
def test_what_looks_like_a_name(text: str, expected: bool) -> None:
    assert is_name(text) is expected


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("who left oslo?", "oslo", True),
        ("the oslofjord", "oslo", False),
        ("oslo's port", "oslo", True),
        ("北港是港口城市", "港口", True),
        ("anything", "", False),
    ],
)
def test_a_name_stands_in_a_text_as_a_whole(text: str, name: str, expected: bool) -> None:
    assert stands_in(text, name) is expected


def find(names: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    known = {name_key(name): (name,) for name in ENTITIES}
    return {name: known[name_key(name)] for name in names if name_key(name) in known}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did Ida Holm act in", [("Ida Holm", "what did X act in")]),
        ("who directed the red fern?", [("Red Fern", "who directed X?")]),
        ("who wrote ida holm and the sea", [("Ida Holm and the Sea", "who wrote X")]),
        ("who runs O'Neill's Yard", [("O'Neill's Yard", "who runs X")]),
        ("what is this", [("what", "X is this")]),
        ("who are you", []),
    ],
)
def test_the_longest_names_are_topics_in_any_case(
    question: str, expected: list[tuple[str, str]]
) -> None:
    found = [(topic.entity_ids[0], topic.masked) for topic in named_topics(question, find)]
    assert found == expected


def test_each_of_several_names_is_a_topic_of_its_own() -> None:
    found = named_topics("did Ida Holm see Red Fern", find)
    assert [topic.masked for topic in found] == ["did X see Red Fern", "did Ida Holm see X"]


def test_the_words_around_a_topic_are_the_nearest_three() -> None:
    masked = "the films that were written by X, were directed by whom"
    assert around_mask(masked) == "were written by X, were directed by"
    assert around_mask("who wrote X") == "who wrote X"
    assert around_mask("no topic at all here") == "no topic at all here"
