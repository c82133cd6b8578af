from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import InputError
from hoptrail.indexing.options import IndexOptions
from hoptrail.stores.neo4j.connection import Connection
from tests.ships import hashing_settings

pytestmark = pytest.mark.slow

_FILMS = """CYPHER 5
    CREATE (m:ImportedFilm {title: 'The Grey Petrel', content: $plot})
    CREATE (p:ImportedPerson {name: 'Ada Marsh', description: 'a director'})
    CREATE (q:ImportedPerson {name: 'Tom Reed'})
    CREATE (c:ImportedTown {name: 'Brackenholm'})
    CREATE (m)-[:DIRECTED_BY]->(p), (p)-[:BORN_IN]->(c), (q)-[:BORN_IN]->(c)
    CREATE (:ImportedOther {name: 'Nobody'})"""
LABELS = ("ImportedFilm", "ImportedPerson", "ImportedTown")


@pytest.fixture
def films(connection: Connection) -> Iterator[None]:
    """A graph that somebody has: a film with its plot, people and a town."""
    plot = "A ship is lost in the fog. Ada Marsh filmed it at sea."
    connection.writing(lambda transaction: transaction.run(_FILMS, plot=plot).consume())
    yield
    drop = (
        "CYPHER 5 MATCH (n:ImportedFilm|ImportedPerson|ImportedTown|ImportedOther) DETACH DELETE n"
    )
    connection.writing(lambda transaction: transaction.run(drop).consume())


@pytest.fixture
def hoptrail(tmp_path: Path) -> Iterator[Hoptrail]:
    settings = hashing_settings()
    with Hoptrail.open(tmp_path / "kb", create=True, writable=True, settings=settings) as opened:
        yield opened


def options(**more: object) -> IndexOptions:
    return IndexOptions(source="films", extractor="none", graph_labels=LABELS, **more)  # type: ignore[arg-type]


def test_nodes_and_relationships_become_entities_and_relations(
    films: None, hoptrail: Hoptrail, url: str
) -> None:
    hoptrail.index([url], options=options())
    base = hoptrail.knowledge_base
    entities = base.store.entities(base.index.entity_ids.tolist())
    assert {(one.name, one.type) for one in entities} == {
        ("The Grey Petrel", "ImportedFilm"),
        ("Ada Marsh", "ImportedPerson"),
        ("Tom Reed", "ImportedPerson"),
        ("Brackenholm", "ImportedTown"),
    }
    relations = base.store.relations(base.index.relation_ids.tolist())
    assert {(one.subject, one.predicate, one.object) for one in relations} == {
        ("The Grey Petrel", "directed by", "Ada Marsh"),
        ("Ada Marsh", "born in", "Brackenholm"),
        ("Tom Reed", "born in", "Brackenholm"),
    }


def test_a_node_with_a_text_becomes_a_document_that_its_relations_rest_on(
    films: None, hoptrail: Hoptrail, url: str
) -> None:
    hoptrail.index([url], options=options())
    base = hoptrail.knowledge_base
    (document,) = base.store.documents(["films/The Grey Petrel"])
    assert document.text.startswith("A ship is lost")
    relations = base.store.relations(base.index.relation_ids.tolist())
    (directed,) = (one for one in relations if one.predicate == "directed by")
    (chunk,) = base.store.chunks(directed.chunk_ids)
    assert chunk.doc_id == document.id


def test_a_second_import_changes_nothing(films: None, hoptrail: Hoptrail, url: str) -> None:
    hoptrail.index([url], options=options())
    before = hoptrail.knowledge_base.generation
    hoptrail.index([url], options=options())
    assert hoptrail.knowledge_base.generation == before


def test_a_graph_without_the_wanted_labels_says_which_options_choose(
    films: None, hoptrail: Hoptrail, url: str
) -> None:
    with pytest.raises(InputError, match="no node with a name or text") as error:
        hoptrail.index([url], options=IndexOptions(graph_labels=("NoSuchLabel",)))
    assert "--label" in error.value.hint
