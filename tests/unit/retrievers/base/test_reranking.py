from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.errors import ModelKeyError, ModelUnavailableError, SettingsError
from hoptrail.core.render import graph_tokens, passage_tokens
from hoptrail.core.types import Evidence
from hoptrail.retrievers.registry import RETRIEVERS, make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase

QUESTION = "Where was the founder of the yard that built the Morning Tern born?"


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
