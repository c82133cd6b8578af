from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.core.types import Chunk, Document, Evidence, Hit
from hoptrail.retrievers.base.retriever import to_documents
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder

QUESTION = "Where was the founder of the yard that built the Morning Tern born?"

MAIL = Document(
    "d/a.eml", "A", "Text.", "d", "file:///d/a.eml", {"date": "2024-05-02", "author": "Ann"}
)
CHUNK = Chunk("c1", "d/a.eml", "A", "Text.", 0, 5)


@pytest.mark.parametrize("name", sorted(RETRIEVERS.keys() - {"full"}))
def test_a_question_in_another_script_finds_its_passage(ships: KnowledgeBase, name: str) -> None:
    documents = make_retriever(name, ships, k=1).invoke("北港是一座港口城市")
    assert [document.metadata["title"] for document in documents] == ["北港"]


def test_a_name_that_runs_together_in_the_question_is_the_one_that_the_base_knows(
    ships: KnowledgeBase,
) -> None:
    apart = make_retriever("ket", ships, k=3).retrieve("When was Edda Thorn born?")
    assert make_retriever("ket", ships, k=3).retrieve("When was EddaThorn born?") == apart


class CountingEmbedder(HashingEmbedder):
    calls = 0

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.calls += 1
        return super().embed(texts)


def test_a_given_vector_is_not_computed_again(ships_folder: Path) -> None:
    embedder = CountingEmbedder()
    with KnowledgeBase.open(ships_folder, embedder=embedder) as kb:
        vector = embedder.embed([QUESTION])[0]
        before = embedder.calls
        given = make_retriever("ket", kb).retrieve(QUESTION, vector=vector)
        assert embedder.calls == before
        assert given == make_retriever("ket", kb).retrieve(QUESTION)


def test_lexical_retrieval_needs_no_embedder(ships_folder: Path) -> None:
    with KnowledgeBase.open(ships_folder) as kb:
        assert (
            make_retriever("bm25", kb).retrieve("Alder Yard").chunks[0].item.title == "Alder Yard"
        )


def test_an_unknown_retriever_is_named(ships: KnowledgeBase) -> None:
    with pytest.raises(UnknownNameError, match="'vectro'.*did you mean 'vector'"):
        make_retriever("vectro", ships)


@pytest.mark.parametrize("parameters", [{"k": 0}, {"budget": -1}, {"theta": 1.5}])
def test_a_parameter_out_of_range_is_named(
    ships: KnowledgeBase, parameters: dict[str, float]
) -> None:
    with pytest.raises(SettingsError, match=next(iter(parameters))):
        make_retriever("ket", ships, **parameters)


def test_the_vector_baseline_ranks_by_inner_product(ships: KnowledgeBase) -> None:
    vector = ships.embed_query(QUESTION)
    hits = make_retriever("vector", ships).retrieve(QUESTION).chunks
    matrix = ships.vectors("chunk").vectors([hit.item.id for hit in hits])
    np.testing.assert_allclose([hit.score for hit in hits], matrix @ vector, atol=1e-5)
    assert len(hits) == len(ships.index.chunk_ids)


def nothing(_: Sequence[str]) -> list[Document]:
    return []


def test_a_passage_tells_its_place_in_its_file_as_a_trail_does() -> None:
    paged = Chunk("c1", "d/a.pdf", "A", "Text.", 5, 10, places=((0, "page 1"), (4, "page 2")))
    plain = Chunk("c2", "d/b.txt", "B", "Text.", 0, 5)

    documents = to_documents(Evidence(chunks=(Hit(paged), Hit(plain))), 2, nothing)

    assert [one.metadata["place"] for one in documents] == ["page 2", None]


def test_a_passage_bears_the_fields_of_its_document() -> None:
    [found] = to_documents(Evidence(chunks=(Hit(CHUNK, 0.5),)), 1, lambda _: [MAIL])

    assert (
        found.metadata.items()
        >= {
            "date": "2024-05-02",
            "author": "Ann",
            "uri": "file:///d/a.eml",
            "source": "d",
            "title": "A",
            "score": 0.5,
        }.items()
    )


def test_a_field_of_the_document_replaces_none_of_the_passage() -> None:
    rated = Document("d/a.eml", "A", "Text.", "d", None, {"score": "7", "title": "B"})

    [found] = to_documents(Evidence(chunks=(Hit(CHUNK, 0.5),)), 1, lambda _: [rated])

    assert (found.metadata["score"], found.metadata["title"]) == (0.5, "A")
    assert (found.metadata["metadata.score"], found.metadata["metadata.title"]) == ("7", "B")


def test_each_document_is_read_once() -> None:
    asked: list[Sequence[str]] = []

    def read(ids: Sequence[str]) -> list[Document]:
        asked.append(ids)
        return [MAIL]

    second = Chunk("c2", "d/a.eml", "A", "Text.", 0, 5)
    to_documents(Evidence(chunks=(Hit(CHUNK), Hit(second))), 2, read)

    assert asked == [["d/a.eml"]]
