from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.errors import (
    ModelKeyError,
    ModelUnavailableError,
    SettingsError,
    UnknownNameError,
)
from hoptrail.core.render import graph_tokens, passage_tokens
from hoptrail.core.types import Chunk, Document, Evidence, Hit
from hoptrail.retrievers.base.retriever import to_documents
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.embedders import CountingEmbedder

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


def test_a_given_vector_is_not_computed_again(ships_folder: Path) -> None:
    embedder = CountingEmbedder()
    with KnowledgeBase.open(ships_folder, embedder=embedder) as kb:
        vector = embedder.embed([QUESTION])[0]
        embedder.texts.clear()
        given = make_retriever("ket", kb).retrieve(QUESTION, vector=vector)
        assert embedder.texts == []
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


class Scripted:
    """Scores passages as a test wants, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, score: Callable[[Sequence[str]], Sequence[float]]) -> None:
        self._score = score
        self.asked: list[tuple[str, list[str]]] = []

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        self.asked.append((question, list(passages)))
        return self._score(passages)


def backwards(passages: Sequence[str]) -> Sequence[float]:
    return list(range(len(passages)))


def titles(evidence: Evidence) -> list[str]:
    return [hit.item.title for hit in evidence.chunks]


@pytest.mark.parametrize("name", sorted(RETRIEVERS))
def test_every_retriever_has_its_passages_ordered(ships: KnowledgeBase, name: str) -> None:
    own = make_retriever(name, ships).retrieve(QUESTION)
    ordered = make_retriever(name, ships, reranker=Scripted(backwards)).retrieve(QUESTION)
    assert len(own.chunks) > 1
    assert titles(ordered) == titles(own)[::-1]
    assert (ordered.entities, ordered.relations) == (own.entities, own.relations)


def test_the_reranker_reads_title_and_text_beside_the_question(ships: KnowledgeBase) -> None:
    reranker = Scripted(backwards)
    own = make_retriever("vector", ships).retrieve(QUESTION)
    make_retriever("vector", ships, reranker=reranker).retrieve(QUESTION)
    assert reranker.asked == [(QUESTION, [hit.item.embedded_text for hit in own.chunks])]


def test_a_passage_deep_in_the_ranking_comes_before_the_cut(ships: KnowledgeBase) -> None:
    reranker = Scripted(lambda texts: [float("caraway" in text) for text in texts])
    own = make_retriever("vector", ships, k=2, budget=0).retrieve(QUESTION)
    found = make_retriever("vector", ships, k=2, budget=0, reranker=reranker).retrieve(QUESTION)
    assert "Quay bread" not in titles(own)
    assert titles(found) == ["Quay bread", titles(own)[0]]


def test_the_budget_holds_for_the_new_order(ships: KnowledgeBase) -> None:
    retriever = make_retriever("ket", ships, k=1, budget=400, reranker=Scripted(backwards))
    found = retriever.retrieve(QUESTION)
    tokens = graph_tokens(found) + sum(passage_tokens(hit.item) for hit in found.chunks)
    assert 1 < len(found.chunks)
    assert tokens <= 400


def test_passages_that_were_not_scored_follow(ships: KnowledgeBase) -> None:
    own = make_retriever("vector", ships).retrieve(QUESTION)
    reranker = Scripted(backwards)
    found = make_retriever("vector", ships, reranked=3, reranker=reranker).retrieve(QUESTION)
    assert titles(found) == [*titles(own)[2::-1], *titles(own)[3:]]
    assert [hit.score for hit in found.chunks[:4]] == [2, 1, 0, 0]


def test_equal_scores_leave_the_order(ships: KnowledgeBase) -> None:
    own = make_retriever("vector", ships).retrieve(QUESTION)
    reranker = Scripted(lambda texts: [0.5] * len(texts))
    found = make_retriever("vector", ships, reranker=reranker).retrieve(QUESTION)
    assert titles(found) == titles(own)


def fails(passages: Sequence[str]) -> Sequence[float]:
    raise ModelUnavailableError("no server answers", hint="start it")


def breaks(passages: Sequence[str]) -> Sequence[float]:
    raise ZeroDivisionError("by zero")


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (fails, "no server answers"),
        (breaks, "ZeroDivisionError: by zero"),
        (lambda texts: [1.0], "shape (1,) for 9 passages"),
        (lambda texts: [[1.0, 2.0]] * len(texts), "shape (9, 2) for 9 passages"),
        (lambda texts: [np.nan] * len(texts), "no number"),
        (lambda texts: [np.inf] * len(texts), "no number"),
        (lambda texts: ["best"] * len(texts), "gave no numbers"),
        (lambda texts: None, "shape () for 9 passages"),
    ],
)
def test_without_usable_scores_the_order_stays_and_that_is_told(
    ships: KnowledgeBase, score: Callable[[Sequence[str]], Sequence[float]], told: str
) -> None:
    own = make_retriever("vector", ships).retrieve(QUESTION)
    retriever = make_retriever("vector", ships, reranker=Scripted(score))
    meter = Meter("retrieve")
    with booking_to(meter):
        found = retriever.retrieve(QUESTION)
    assert found == own
    assert meter.degraded
    (line,) = meter.notes
    assert "the reranker gave no order" in line
    assert told in line


def test_a_refused_key_is_an_error(ships: KnowledgeBase) -> None:
    def refuses(passages: Sequence[str]) -> Sequence[float]:
        raise ModelKeyError("the server refuses the key")

    with pytest.raises(ModelKeyError):
        make_retriever("vector", ships, reranker=Scripted(refuses)).retrieve(QUESTION)


def test_a_bare_graph_has_nothing_to_order(bare_graph: KnowledgeBase) -> None:
    reranker = Scripted(backwards)
    own = make_retriever("ppr", bare_graph).retrieve(QUESTION)
    assert make_retriever("ppr", bare_graph, reranker=reranker).retrieve(QUESTION) == own
    assert reranker.asked == []


def test_only_what_scores_is_a_reranker(ships: KnowledgeBase) -> None:
    with pytest.raises(SettingsError, match="'a name' is no reranker"):
        make_retriever("vector", ships, reranker="a name")


def test_a_question_with_half_a_character_is_sent_as_proper_text(ships: KnowledgeBase) -> None:
    reranker = Scripted(backwards)
    make_retriever("bm25", ships, reranker=reranker).retrieve("yard \ud800 founder")
    assert reranker.asked[0][0] == "yard ? founder"
