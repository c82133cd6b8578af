"""The chance floor: random passages at the same budget."""

from __future__ import annotations

from pathlib import Path

from hoptrail.core.tokens import estimate_tokens
from hoptrail.eval.metrics.retrieval_metrics import RandomFloor
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder


def test_a_large_budget_draws_every_passage_once(kb: KnowledgeBase) -> None:
    text = RandomFloor(kb, 10_000, seed=1).context("q1") or ""
    assert all(text.count(f"{name}\n") == 1 for name in ("Ada", "Paris", "Seine", "Rome", "Tiber"))


def test_a_small_budget_is_kept(kb: KnowledgeBase) -> None:
    text = RandomFloor(kb, 60, seed=1).context("q1") or ""
    assert 0 < estimate_tokens(text) <= 60


def test_a_draw_repeats_and_differs_from_other_draws(kb: KnowledgeBase) -> None:
    floor = RandomFloor(kb, 60, seed=1)
    draws = {floor.context(f"q{i}") for i in range(8)}
    assert len(draws) > 1
    assert RandomFloor(kb, 60, seed=1).context("q3") == floor.context("q3")
    assert {RandomFloor(kb, 60, seed=2).context(f"q{i}") for i in range(8)} != draws


def test_a_bare_graph_has_no_floor(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "bare", embedder=HashingEmbedder(), create=True) as bare:
        assert RandomFloor(bare, 60, seed=1).context("q1") is None
