from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hoptrail.core.errors import InputError, KnowledgeBaseError
from hoptrail.core.types import (
    Chunk,
    Document,
    Entity,
    ExtractedEntity,
    Extraction,
    NodeUsage,
    Relation,
)
from hoptrail.core.types.graph import Merge
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.testing import HashingEmbedder

PASSAGES = [("s/1", "Ada wrote the Notes."), ("s/2", "The Notes were <printed> & read.")]


def fill(kb: KnowledgeBase, passages: list[tuple[str, str]], usd: float) -> None:
    chunk_ids = []
    for doc_id, text in passages:
        chunk_id = Chunk.make_id(doc_id, 0, len(text), text)
        chunk = Chunk(chunk_id, doc_id, "Title", text, 0, len(text), 5)
        kb.put_document(Document(doc_id, "Title", text, "s", metadata={"page": "1"}), [chunk])
        extraction = Extraction((ExtractedEntity("Ada"),))
        kb.put_extraction(doc_id, chunk_id, "llm", extraction, NodeUsage(1, 2, 3, 4.0, usd))
        chunk_ids.append(chunk_id)
    places = tuple(sorted(chunk_ids))
    kb.replace_graph(
        [
            Entity("e1", "Ada \x01& Co", "person", "a <b>", ("Lady", "Countess"), places),
            Entity("e2", 'No"tes'),
        ],
        [Relation("r1", "e1", "wrote, once", "e2", "Ada wrote\nthe Notes.", 1.5, places[:1])],
        [Merge("m1", "e1", "ada", "lady", "alias")],
    )


def exported(kb: KnowledgeBase) -> str:
    stream = io.StringIO()
    kb.export(stream)
    return stream.getvalue()


def test_the_canonical_export_is_sorted_by_kind_and_id(kb: KnowledgeBase) -> None:
    fill(kb, PASSAGES, usd=0.0)
    rows = [json.loads(line) for line in exported(kb).splitlines()]
    places = [(row["kind"], row["id"]) for row in rows]
    assert places == sorted(places)
    assert [kind for kind, _ in places] == [
        *["chunk"] * 2,
        *["document"] * 2,
        *["entity"] * 2,
        *["mention"] * 2,
        "merge",
        "relation",
    ]


def test_it_holds_what_was_put(kb: KnowledgeBase) -> None:
    fill(kb, PASSAGES[:1], usd=0.0)
    rows = {row["kind"]: row for row in map(json.loads, exported(kb).splitlines()) if row}
    assert rows["document"]["metadata"] == {"page": "1"}
    assert rows["mention"]["extraction"]["entities"][0]["name"] == "Ada"
    assert rows["relation"] == {
        "kind": "relation",
        "id": "r1",
        "source": "e1",
        "predicate": "wrote, once",
        "target": "e2",
        "description": "Ada wrote\nthe Notes.",
        "weight": 1.5,
        "chunk_ids": [rows["chunk"]["id"]],
    }
    ada = next(row for row in map(json.loads, exported(kb).splitlines()) if row["id"] == "e1")
    assert ada["aliases"] == ["Lady", "Countess"]


def test_neither_order_nor_price_nor_vectors_nor_history_show(
    kb: KnowledgeBase, publish: Callable[[], int], tmp_path: Path, embedder: HashingEmbedder
) -> None:
    fill(kb, PASSAGES, usd=0.0)
    with KnowledgeBase.open(tmp_path / "other", embedder=embedder, create=True) as other:
        other.put_document(Document("s/0", "Gone", "Gone.", "s"), [])
        fill(other, PASSAGES[::-1], usd=0.75)
        other.delete_documents(["s/0"])
        publish()
        assert exported(kb) == exported(other)


def test_a_failed_extraction_is_no_mention(kb: KnowledgeBase) -> None:
    kb.put_document(Document("s/1", "T", "Text.", "s"), [])
    kb.put_extraction("s/1", None, "llm", None, NodeUsage(), "timeout")
    assert [json.loads(line)["kind"] for line in exported(kb).splitlines()] == ["document"]


def test_graphml_is_well_formed_and_complete(kb: KnowledgeBase, tmp_path: Path) -> None:
    fill(kb, PASSAGES, usd=0.0)
    kb.export(tmp_path / "graph.graphml")
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ElementTree.parse(tmp_path / "graph.graphml").getroot()
    nodes = {node.get("id"): node for node in root.iter(f"{space}node")}
    values = {data.get("key"): data.text for data in nodes["e1"]}
    assert (values["name"], values["type"], values["description"]) == (
        "Ada & Co",
        "person",
        "a <b>",
    )
    (edge,) = root.iter(f"{space}edge")
    assert (edge.get("source"), edge.get("target")) == ("e1", "e2")
    assert {data.get("key"): data.text for data in edge}["predicate"] == "wrote, once"


def test_networkx_reads_the_graphml(kb: KnowledgeBase, tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    fill(kb, PASSAGES, usd=0.0)
    kb.export(tmp_path / "graph.graphml")
    graph = networkx.read_graphml(tmp_path / "graph.graphml")
    assert graph.edges["e1", "e2"]["weight"] == 1.5


def test_csv_is_a_table_of_relations_with_the_entities_beside_it(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    fill(kb, PASSAGES, usd=0.0)
    written = kb.export(tmp_path / "graph.csv")
    assert written == [tmp_path / "graph.csv", tmp_path / "graph_entities.csv"]
    with (tmp_path / "graph.csv").open(newline="") as stream:
        (relation,) = csv.DictReader(stream)
    assert (relation["head"], relation["predicate"]) == ("Ada \x01& Co", "wrote, once")
    assert (relation["tail"], relation["description"]) == ('No"tes', "Ada wrote\nthe Notes.")
    with (tmp_path / "graph_entities.csv").open(newline="") as stream:
        assert [row["id"] for row in csv.DictReader(stream)] == ["e1", "e2"]


@pytest.mark.parametrize("name", ["graph.xlsx", "graph"])
def test_an_unknown_ending_names_the_known_ones(
    kb: KnowledgeBase, tmp_path: Path, name: str
) -> None:
    with pytest.raises(InputError, match=r"\.jsonl, \.graphml, \.csv"):
        kb.export(tmp_path / name)


def test_a_file_that_cannot_be_written_is_a_clear_error(kb: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: No such file"):
        kb.export(tmp_path / "missing" / "graph.jsonl")


def test_an_export_that_fails_midway_leaves_the_old_file(
    kb: KnowledgeBase, folder: Path, tmp_path: Path
) -> None:
    target = tmp_path / "graph.jsonl"
    target.write_text("old")
    kb.put_document(Document("s/1", "T", "Text.", "s"), [])
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        connection.execute("UPDATE documents SET metadata = 'no JSON'")
        connection.commit()
    with pytest.raises(KnowledgeBaseError, match="documents.metadata"):
        kb.export(target)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["graph.jsonl"]
    assert target.read_text() == "old"


def test_a_file_that_cannot_be_made_is_an_error_of_its_path(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    place = tmp_path / f"{'long' * 100}.csv"  # neither this nor the unfinished file may exist
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        kb.export(place)
