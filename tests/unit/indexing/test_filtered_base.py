"""Bases of some documents of a whole one: imported indexes, bare graphs, a model's decisions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from hoptrail.indexing.filtered_base import build_filtered_base
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.unit.indexing.given_graphs.ms_graphrag.conftest import (
    FIRST,
    SECOND,
    entity,
    relationship,
    tables,
)

Only = Callable[..., KnowledgeBase]


@pytest.fixture
def whole(tmp_path: Path) -> Any:
    with KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder(), create=True) as kb:
        yield kb


@pytest.fixture
def only(whole: KnowledgeBase, tmp_path: Path) -> Any:
    opened: list[KnowledgeBase] = []

    def build(*doc_ids: str) -> KnowledgeBase:
        folder = tmp_path / f"part-{len(opened)}"
        folder.mkdir()
        build_filtered_base(whole, folder, set(doc_ids))
        opened.append(KnowledgeBase.open(folder, embedder=HashingEmbedder()))
        return opened[-1]

    yield build
    for kb in opened:
        kb.close()


def import_two_documents(kb: KnowledgeBase, folder: Path) -> None:
    """Import an index in which MIRA stands in both documents, each with one unit."""
    given = tables()
    given["documents"] = [
        {"id": "d1", "title": "light.txt", "text": FIRST, "text_unit_ids": ["u1"]},
        {"id": "d2", "title": "harbour.txt", "text": SECOND, "text_unit_ids": ["u2"]},
    ]
    given["text_units"][1]["document_ids"] = ["d2"]
    given["entities"] = [
        entity(0, "MIRA", "PERSON", "Keeps the light, avoids the old harbour.", ["u1", "u2"]),
        entity(1, "BOAT", "THING", "Mira's boat.", ["u1"]),
        entity(2, "GHOST", "PERSON", "Nobody knows where.", []),
    ]
    given["relationships"] = [
        relationship(7, "MIRA", "BOAT", "She rows it everywhere.", 8.0, ["u1", "u2"]),
    ]
    folder.mkdir()
    for name, rows in given.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    Indexer(kb).index([folder])


def test_an_imported_description_of_several_documents_is_left_out(
    whole: KnowledgeBase, only: Only, tmp_path: Path
) -> None:
    import_two_documents(whole, tmp_path / "output")
    (light,) = [one.id for one in whole.document_records() if one.title == "light.txt"]
    part = only(light)
    entities = part.store.entities(part.index.entity_ids.tolist())
    assert {one.name: one.description for one in entities} == {"MIRA": "", "BOAT": "Mira's boat."}
    (relation,) = part.store.relations(part.index.relation_ids.tolist())
    assert (relation.description, relation.weight) == ("", 4.0)
    assert len(part.community_index.ids) == 0


def test_a_bare_graph_is_a_document_of_its_own(
    whole: KnowledgeBase, only: Only, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("Tern|built at|Alder Yard\nAlder Yard|founded by|Edda Thorn\n")
    second.write_text("Tern|sold to|Zarkov\nTern|built at|Alder Yard\n")
    options = IndexOptions(extractor="none", triples=(first, second))
    Indexer(whole, settings=Settings()).index([], options)
    wanted = next(id_ for id_ in map(str, whole.index.doc_ids) if "first" in id_)
    part = only(wanted)
    relations = part.store.relations(part.index.relation_ids.tolist())
    assert sorted((one.subject, one.predicate, one.object, one.weight) for one in relations) == [
        ("Alder Yard", "founded by", "Edda Thorn", 1.0),
        ("Tern", "built at", "Alder Yard", 1.0),
    ]
    assert part.store.find_entities(["Zarkov"]) == {}


def test_a_merge_that_was_taken_back_stays_so(whole: KnowledgeBase, only: Only) -> None:
    texts = {
        "a": "Edda Thorn, also known as Nightjar, lives in Varde.",
        "b": "Nightjar lives in Varde.",
    }
    documents = [Document(f"t/{name}", name, text, "t") for name, text in texts.items()]
    Indexer(whole, settings=Settings()).index(documents, IndexOptions(extractor="nlp"))
    for merge in whole.merges():
        whole.undo_merge(merge.id)
    assert only("t/a", "t/b").merges() == []


def test_the_subject_is_described_from_the_part(whole: KnowledgeBase, only: Only) -> None:
    texts = {"a": "Edda Thorn founded the Alder Yard.", "b": "Zarkov bought the Quay Guild."}
    documents = [Document(f"t/{name}", name, text, "t") for name, text in texts.items()]
    Indexer(whole, settings=Settings()).index(documents, IndexOptions(extractor="nlp"))
    whole.put_description("About Zarkov.")
    part = only("t/a")
    assert "Zarkov" not in part.description + json.dumps(part.schema())
    assert part.name == whole.name
