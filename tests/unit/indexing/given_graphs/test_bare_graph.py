"""Indexing knowledge graphs without text, alone and beside documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.types import Document
from hoptrail.indexing.given_graphs.bare_graph import node_types
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.indexing.report import IndexReport
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

Articles = dict[str, Document]
Export = Callable[[KnowledgeBase], str]
OpenKb = Callable[[str], KnowledgeBase]

WORLD = """Ada|people.person.place_of_birth|London
Ada|people.person.marriage|m.0abc
m.0abc|people.marriage.spouse|William
London|location.location.containedby|England
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write_file


@pytest.fixture
def world(write: Callable[[str, str], Path]) -> Path:
    return write("world.txt", WORLD)


def index(kb: KnowledgeBase, *triples: Path, source: str | None = "w") -> IndexReport:
    return Indexer(kb).index([], IndexOptions(extractor="none", triples=triples, source=source))


def test_every_node_and_triple_is_there(kb: KnowledgeBase, world: Path) -> None:
    report = index(kb, world)
    assert (report.entities, report.relations, report.documents.added) == (5, 4, 1)
    (ada,) = kb.store.find_entities(["ada"])["ada"]
    (row,) = kb.index.entity_rows([ada])
    relations = kb.store.relations(
        kb.index.relation_ids[kb.index.entity_relations.row(row)].tolist()
    )
    assert {relation.text for relation in relations} == {
        "Ada people.person.place_of_birth London",
        "Ada people.person.marriage m.0abc",
    }


def test_two_spellings_of_a_name_stay_two_nodes_and_are_both_found(
    kb: KnowledgeBase, write: Callable[[str, str], Path]
) -> None:
    index(kb, write("movies.txt", "The Thing|year|1982\nthing|tagged|The Thing\n"))
    assert kb.counts()["entities"] == 3
    assert len(kb.store.find_entities(["thing"])["thing"]) == 2


def test_loops_and_parallel_edges_are_kept(
    kb: KnowledgeBase, write: Callable[[str, str], Path]
) -> None:
    index(kb, write("loops.txt", "a|p|a\na|q|a\na|p|b\na|q|b\n"))
    assert kb.counts()["relations"] == 4
    (row,) = kb.index.entity_rows(kb.store.find_entities(["a"])["a"])
    # Each relation is listed once, a loop too.
    assert len(kb.index.entity_relations.row(row)) == 4


def test_unnamed_nodes_have_no_vector_but_a_type_and_edges(kb: KnowledgeBase, world: Path) -> None:
    index(kb, world)
    assert len(kb.vectors("entity")) == 4
    (unnamed,) = kb.store.find_entities(["m.0abc"])["m.0abc"]
    assert not kb.vectors("entity").vectors([unnamed]).any()
    (entity,) = kb.store.entities([unnamed])
    assert entity.type == "people.marriage"


def test_relations_share_the_vector_of_their_predicate(
    kb: KnowledgeBase, write: Callable[[str, str], Path]
) -> None:
    index(kb, write("movies.txt", "Alien|directed_by|Scott\nDune|directed_by|Lynch\nDune|year|x\n"))
    vectors = kb.vectors("relation")
    assert len(vectors) == 3
    query = HashingEmbedder().embed(["directed by"])[0]
    ids, scores = vectors.search(query, 2)
    np.testing.assert_allclose(scores, 1.0, atol=1e-4)
    assert {relation.object for relation in kb.store.relations(ids.tolist())} == {"Scott", "Lynch"}


def test_the_same_file_again_is_not_read_again(
    kb: KnowledgeBase, world: Path, exported: Export
) -> None:
    index(kb, world)
    generation, before = kb.generation, exported(kb)
    assert index(kb, world).documents.unchanged == 1
    assert (kb.generation, exported(kb)) == (generation, before)


def test_a_changed_file_replaces_its_triples(
    kb: KnowledgeBase, open_kb: OpenKb, world: Path, exported: Export
) -> None:
    index(kb, world)
    world.write_text("Ada|people.person.profession|mathematician\n")
    assert index(kb, world).documents.replaced == 1
    fresh = open_kb("fresh")
    index(fresh, world)
    assert exported(kb) == exported(fresh)


@pytest.mark.parametrize("kept", [["world.txt"], []])
def test_deleting_a_source_deletes_what_it_alone_stated(
    kb: KnowledgeBase,
    open_kb: OpenKb,
    world: Path,
    write: Callable[[str, str], Path],
    exported: Export,
    kept: list[str],
) -> None:
    more = write("more.txt", "Ada|people.person.place_of_birth|London\nAda|met|Babbage\n")
    index(kb, world, more)
    Indexer(kb).delete([f"w/{name}" for name in ("world.txt", "more.txt") if name not in kept])
    other = open_kb("other")
    if kept:
        index(other, world)
    assert exported(kb) == exported(other)


def test_a_triple_of_two_sources_is_one_relation_of_double_weight(
    kb: KnowledgeBase, world: Path, write: Callable[[str, str], Path]
) -> None:
    more = write("more.txt", "Ada|people.person.place_of_birth|London\n")
    assert index(kb, world, more).relations == 4
    assert sorted(kb.index.relation_weight.tolist()) == [1, 1, 1, 2]


def test_a_node_is_the_entity_that_a_passage_names(
    kb: KnowledgeBase, articles: Articles, write: Callable[[str, str], Path]
) -> None:
    triples = write("facts.txt", "ada lovelace|people.person.spouse|William King\n")
    Indexer(kb).index(
        [articles["ada"]], IndexOptions(extractor="nlp", triples=(triples,), source="w")
    )
    (ada,) = kb.store.entities(kb.store.find_entities(["ada lovelace"])["ada lovelace"])
    assert (ada.name, ada.type) == ("Ada Lovelace", "people.person")
    assert ada.chunk_ids
    (row,) = kb.index.entity_rows([ada.id])
    near = kb.store.relations(kb.index.relation_ids[kb.index.entity_relations.row(row)].tolist())
    assert "William King" in {relation.object for relation in near}


def test_documents_and_graphs_in_either_order_make_one_graph(
    kb: KnowledgeBase, open_kb: OpenKb, articles: Articles, world: Path, exported: Export
) -> None:
    nlp = IndexOptions(extractor="nlp", source="w")
    documents = list(articles.values())
    index(kb, world)
    Indexer(kb).index(documents, nlp)
    other = open_kb("other")
    Indexer(other).index(documents, nlp)
    index(other, world)
    assert exported(kb) == exported(other)


def test_a_damaged_file_is_skipped_and_the_rest_is_indexed(
    kb: KnowledgeBase, world: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.txt.gz"
    broken.write_bytes(b"no gzip")
    missing = tmp_path / "missing.txt"
    empty = tmp_path / "empty.txt"
    empty.touch()
    report = index(kb, broken, missing, empty, world)
    assert report.documents.added == 1
    assert [(Path(item.path).name, item.reason) for item in report.skipped] == [
        ("broken.txt.gz", "damaged gzip file"),
        ("missing.txt", "no such file"),
        ("empty.txt", "empty file"),
    ]


def test_given_entity_types_and_description_stay_with_the_base(
    kb: KnowledgeBase, world: Path
) -> None:
    options = IndexOptions(
        extractor="none",
        triples=(world,),
        entity_types=("people.person", "city"),
        graph_description="Early computing.",
    )
    Indexer(kb).index([], options)
    assert list(kb.schema()) == ["people.person", "city"]
    assert kb.schema()["people.person"].startswith("one entity, such as Ada")
    assert kb.description == "Early computing."


def test_bases_can_share_a_file_of_vectors(open_kb: OpenKb, world: Path, tmp_path: Path) -> None:
    options = IndexOptions(
        extractor="none", triples=(world,), embeddings=tmp_path / "vectors.sqlite"
    )
    bases = [open_kb(name) for name in ("one", "two")]
    for kb in bases:
        Indexer(kb).index([], options)
    ids = bases[0].index.entity_ids
    first, second = (kb.vectors("entity").vectors(ids) for kb in bases)
    assert first.any()
    np.testing.assert_array_equal(first, second)


def types_of(*facts: tuple[str, str, str]) -> dict[str, str]:
    nodes: dict[str, int] = {}
    predicates: dict[str, int] = {}
    rows = [
        (
            nodes.setdefault(head, len(nodes)),
            predicates.setdefault(relation, len(predicates)),
            nodes.setdefault(tail, len(nodes)),
        )
        for head, relation, tail in facts
    ]
    triples = np.array(rows, dtype=np.int32).reshape(-1, 3)
    found = node_types(list(nodes), list(predicates), triples)
    return dict(zip(nodes, found, strict=True))


def test_a_domain_in_the_predicate_types_its_subjects() -> None:
    found = types_of(
        ("ada", "people.person.place_of_birth", "london"),
        ("ada", "people.person.profession", "mathematician"),
        ("ada", "book.author.works", "notes"),
    )
    assert found["ada"] == "people.person"


def test_general_domains_speak_last() -> None:
    found = types_of(
        ("ada", "common.topic.image", "m.01"),
        ("ada", "common.topic.article", "m.02"),
        ("ada", "people.person.gender", "female"),
        ("m.01", "common.image.size", "m.03"),
    )
    assert (found["ada"], found["m.01"]) == ("people.person", "common.image")


def test_objects_without_a_type_take_the_commonest_of_their_predicate() -> None:
    found = types_of(
        ("ada", "people.person.place_of_birth", "london"),
        ("george", "people.person.place_of_birth", "dover"),
        ("london", "location.location.area", "m.01"),
    )
    assert found["dover"] == "location.location"
    assert found["m.01"] == ""


def test_plain_predicates_whose_roles_share_nodes_give_one_type() -> None:
    found = types_of(
        ("Alien", "directed_by", "Ridley Scott"),
        ("Alien", "starred_actors", "Sigourney Weaver"),
        ("Alien", "written_by", "Ridley Scott"),
        ("Blade Runner", "directed_by", "Ridley Scott"),
        ("Blade Runner", "starred_actors", "Sean Young"),
        ("Cats", "starred_actors", "Elaine Paige"),
    )
    assert found["Alien"] == found["Cats"] == "subject of starred actors"
    assert found["Ridley Scott"] == "object of directed by"
    assert found["Sean Young"] == found["Elaine Paige"] == "object of starred actors"


def test_a_stated_type_decides() -> None:
    found = types_of(
        ("Ada", "rdf:type", "Person"), ("Ada", "knows", "Bob"), ("Bob", "knows", "Ada")
    )
    assert (found["Ada"], found["Bob"]) == ("Person", "subject of knows")


def test_the_order_of_the_triples_changes_nothing() -> None:
    facts = [
        ("a", "x.y.p", "b"),
        ("a", "x.z.p", "c"),
        ("b", "x.z.q", "c"),
        ("c", "plain", "a"),
        ("b", "other", "a"),
    ]
    assert types_of(*facts) == types_of(*reversed(facts))


def test_no_triples_give_no_types() -> None:
    assert node_types(["a"], [], np.zeros((0, 3), dtype=np.int32)) == [""]
