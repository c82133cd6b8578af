"""A retriever and a preset under measurement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import ModelNotConfiguredError
from hoptrail.core.settings import Settings
from hoptrail.eval.questions.question import Question
from hoptrail.eval.runs.run_record import with_order
from hoptrail.eval.systems.evidence_cache import EvidenceCache
from hoptrail.eval.systems.own_systems import PresetSystem, RetrieverSystem
from hoptrail.graphs.context import Context
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.ships import hashing_settings, index_ships

QUESTION = Question("q", "Which river does Paris lie on?", (("Seine",),), 1)


class Fixed:
    """Gives every passage the scores of a script."""

    def __init__(self, name: str, scores: Sequence[float] | None = None) -> None:
        self.name = name
        self._scores = scores

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        return list(range(len(passages))) if self._scores is None else self._scores


async def test_runs_with_and_without_a_reranker_have_two_names_and_orders(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    cache = EvidenceCache(tmp_path, kb)
    plain = RetrieverSystem(make_retriever("vector", kb), cache)
    ordered = RetrieverSystem(make_retriever("vector", kb, reranker=Fixed("mine")), cache)
    assert (plain.name, ordered.name) == ("retriever:vector", "retriever:vector+mine")
    first, second = [
        [passage["chunk_id"] for passage in (await system.run(QUESTION)).record["passages"]]
        for system in (plain, ordered)
    ]
    assert len(first) > 1
    assert second == first[::-1]


async def test_a_row_tells_of_a_reranker_that_failed(kb: KnowledgeBase) -> None:
    system = RetrieverSystem(make_retriever("vector", kb, reranker=Fixed("short", [1.0] * 99)))
    record = (await system.run(QUESTION)).record
    assert "the reranker gave no order" in record["degraded"][0]
    healthy = RetrieverSystem(make_retriever("vector", kb))
    assert (await healthy.run(QUESTION)).record["degraded"] == []


@pytest.mark.parametrize(
    ("chosen", "reranker", "parameters"),
    [
        ({}, "endpoint:own", {"reranked": 20}),
        ({"reranker": "jina:x"}, "jina:x", {"reranked": 20}),
        ({"parameters": {"reranked": 5}}, "endpoint:own", {"reranked": 5}),
        ({"reranker": "none"}, "none", {}),
    ],
)
def test_the_record_of_a_run_names_the_reranker_in_force(
    chosen: dict[str, object], reranker: str, parameters: dict[str, int]
) -> None:
    settings = Settings(reranker="endpoint:own", reranker_candidates=20)
    context = with_order(Context.model_validate(chosen), settings)
    assert (context.reranker, context.parameters) == (reranker, parameters)
    assert with_order(Context(), Settings()) == Context()


def test_a_preset_without_its_model_names_the_reader_that_needs_none(tmp_path: Path) -> None:
    settings = hashing_settings()
    index_ships(tmp_path / "kb", settings)
    with Hoptrail.open(tmp_path / "kb", settings=settings) as hoptrail:
        context = Context(knowledge_base=str(tmp_path / "kb"), preset="lightrag")

        with pytest.raises(ModelNotConfiguredError, match="HOPTRAIL_MODEL.*--reader oracle"):
            PresetSystem(hoptrail, context)
