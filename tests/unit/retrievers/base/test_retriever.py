from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import InputError, SettingsError, UnknownNameError
from hoptrail.core.types import Evidence
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder

QUESTION = "Where was the founder of the yard that built the Morning Tern born?"
every_retriever = pytest.mark.parametrize("name", sorted(RETRIEVERS))


@every_retriever
@pytest.mark.parametrize("question", ["", "  \n", "?!", "why " * 30_000])
def test_a_question_that_cannot_be_asked_is_a_clear_error(
    ships: KnowledgeBase, name: str, question: str
) -> None:
    with pytest.raises(InputError, match="question"):
        make_retriever(name, ships).retrieve(question)


@every_retriever
def test_an_empty_base_gives_empty_evidence(empty: KnowledgeBase, name: str) -> None:
    retriever = make_retriever(name, empty)
    assert retriever.retrieve(QUESTION).is_empty
    assert retriever.invoke(QUESTION) == []


@every_retriever
def test_words_that_no_passage_has_are_no_error(ships: KnowledgeBase, name: str) -> None:
    evidence = make_retriever(name, ships).retrieve("xyzzy plugh?")
    assert len({hit.item.id for hit in evidence.chunks}) == len(evidence.chunks)


@pytest.mark.parametrize("name", sorted(RETRIEVERS.keys() - {"full"}))
def test_a_question_in_another_script_finds_its_passage(ships: KnowledgeBase, name: str) -> None:
    documents = make_retriever(name, ships, k=1).invoke("北港是一座港口城市")
    assert [document.metadata["title"] for document in documents] == ["北港"]


@every_retriever
def test_the_same_question_gives_the_same_evidence(ships: KnowledgeBase, name: str) -> None:
    retriever = make_retriever(name, ships)
    assert retriever.retrieve(QUESTION) == retriever.retrieve(QUESTION)


@every_retriever
def test_passages_are_ranked_once_each_by_score(ships: KnowledgeBase, name: str) -> None:
    chunks = make_retriever(name, ships).retrieve(QUESTION).chunks
    scores = [hit.score for hit in chunks]
    assert scores == sorted(scores, reverse=True)
    assert len({hit.item.id for hit in chunks}) == len(chunks) > 1
    assert all(hit.channel for hit in chunks)


@every_retriever
def test_the_budget_bounds_the_passages_beyond_k(ships: KnowledgeBase, name: str) -> None:
    assert len(make_retriever(name, ships, k=2, budget=0).retrieve(QUESTION).chunks) == 2


@every_retriever
def test_evidence_survives_its_json_form(ships: KnowledgeBase, name: str) -> None:
    evidence = make_retriever(name, ships).retrieve(QUESTION)
    assert Evidence.from_json(evidence.to_json()) == evidence


@every_retriever
def test_documents_say_where_they_are_from(ships: KnowledgeBase, name: str) -> None:
    document = make_retriever(name, ships).invoke(QUESTION, k=1)[0]
    metadata = document.metadata
    [source] = ships.store.documents([metadata["doc_id"]])
    assert source.text[metadata["start"] : metadata["end"]] == document.page_content
    assert document.id == metadata["chunk_id"]


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


async def test_retrievers_work_asynchronously(ships: KnowledgeBase) -> None:
    documents = await make_retriever("ket", ships, k=2).ainvoke(QUESTION)
    assert len(documents) == 2


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
