from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.types import Evidence, Plan
from hoptrail.retrievers.registry import make_retriever
from hoptrail.retrievers.relation_path import path_text, predicate_text
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.unit.retrievers.conftest import build

FILMS = """Red Fern|directed by|Ida Holm
Blue Moss|directed by|Ida Holm
Red Fern|release year|1931
Blue Moss|release year|1935
Red Fern|performance|m.01
m.01|character|Captain Krogh
Ida Holm|born in|Selwick
"""


def open_graph(folder: Path, triples: str) -> KnowledgeBase:
    (folder / "triples.txt").write_text(triples)
    kb = build(folder / "kb", {}, "none", (folder / "triples.txt",))
    return KnowledgeBase.open(kb, embedder=HashingEmbedder())


@pytest.fixture
def films(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with open_graph(tmp_path, FILMS) as kb:
        yield kb


def names(evidence: Evidence) -> list[str]:
    return [hit.item.name for hit in evidence.entities]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who was red fern directed by", ["Ida Holm"]),
        ("which films are directed by Ida Holm", ["Blue Moss", "Red Fern"]),
        ("release year of films directed by Ida Holm", ["1931", "1935"]),
        ("performance character in Red Fern", ["Captain Krogh"]),
    ],
)
def test_the_whole_end_set_of_the_best_path_is_found(
    films: KnowledgeBase, question: str, expected: list[str]
) -> None:
    assert sorted(names(make_retriever("relation_path", films).retrieve(question))) == expected


def test_evidence_leads_from_the_topic_to_each_answer(films: KnowledgeBase) -> None:
    found = make_retriever("relation_path", films).retrieve(
        "release year of films directed by Ida Holm"
    )
    told = {
        tuple((r.subject, r.predicate, r.object) for r in h.item.relations) for h in found.paths
    }
    assert told == {
        (("Red Fern", "directed by", "Ida Holm"), ("Red Fern", "release year", "1931")),
        (("Blue Moss", "directed by", "Ida Holm"), ("Blue Moss", "release year", "1935")),
    }
    assert {hit.item.id for hit in found.relations} == {
        relation.id for hit in found.paths for relation in hit.item.relations
    }


@pytest.mark.parametrize("unnamed", ["m.01", "g.11b_x", "/m/01", "/g/11b_x"])
def test_an_unnamed_node_is_no_answer(tmp_path: Path, unnamed: str) -> None:
    with open_graph(tmp_path, FILMS.replace("m.01", unnamed)) as films:
        found = make_retriever("relation_path", films, hops=1).retrieve("performance in Red Fern")
    assert names(found)
    assert unnamed not in names(found)


def test_the_plan_says_where_to_start(films: KnowledgeBase) -> None:
    plan = Plan(entities=("Blue Moss",))
    assert names(make_retriever("relation_path", films).retrieve("what release year", plan)) == [
        "1935"
    ]


def test_a_misspelt_name_starts_from_the_nearest_entities(films: KnowledgeBase) -> None:
    found = make_retriever("relation_path", films, hops=1).retrieve("where was Ida Hoolm born")
    assert names(found) == ["Selwick"]


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        ("directed_by", "directed by"),
        ("people.person.nationality", "people person nationality"),
        ("http://example.org/prop#releaseYear", "releaseYear"),
        ("导演", "导演"),
    ],
)
def test_predicates_read_as_words(predicate: str, text: str) -> None:
    assert predicate_text(predicate) == text


def test_a_path_reads_from_its_end() -> None:
    assert path_text(["directed_by", "born_in"]) == "born in of directed by"
