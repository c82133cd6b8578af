from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

from hoptrail.core.types import Document
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.bare_graphs import TripleList
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.testing import HashingEmbedder

FACTS = TripleList(["Ada", "", "Zoë"], ["knows"], np.array([[0, 0, 2], [1, 0, 0]], dtype=np.int32))


def test_a_list_comes_back_as_it_was_put(kb: KnowledgeBase) -> None:
    kb.put_document(Document("s/facts", "facts", ""), [])
    kb.put_triples("s/facts", "digest", FACTS)
    (found,) = kb.triples()
    assert (found.nodes, found.predicates) == (FACTS.nodes, FACTS.predicates)
    np.testing.assert_array_equal(found.triples, FACTS.triples)
    assert kb.triple_digests() == {"s/facts": "digest"}


def test_a_list_goes_with_its_document(kb: KnowledgeBase) -> None:
    kb.put_document(Document("s/facts", "facts", ""), [])
    kb.put_triples("s/facts", "digest", FACTS)
    kb.delete_documents(["s/facts"])
    assert list(kb.triples()) == []


def test_a_base_of_the_first_format_is_read_and_gets_the_table_when_written(
    folder: Path, embedder: HashingEmbedder
) -> None:
    KnowledgeBase.open(folder, embedder=embedder, create=True).close()
    connection = sqlite3.connect(folder / DATABASE_NAME)
    connection.execute("DROP TABLE triple_lists")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with KnowledgeBase.open(folder) as old:
        assert old.counts()["entities"] == 0
        assert old.schema() == {}
    with KnowledgeBase.open(folder, writable=True) as upgraded:
        assert upgraded.triple_digests() == {}
