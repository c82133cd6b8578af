from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.algorithms.pagerank import pagerank
from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import content_words
from hoptrail.indexing.extraction import stage
from hoptrail.indexing.extraction.stage import rank_chunks, select_core_chunks
from hoptrail.testing import HashingEmbedder

TEXTS = [
    "The Seine flows through Paris",
    "Paris lies on the Seine",
    "Sodium reacts with water",
    "Water and sodium react",
    "Chess is a game of kings",
    "Kings of chess play a long game in Paris",
]


def naive_rank(texts: list[str], vectors: FloatArray, k: int) -> FloatArray:
    words = [set(content_words(text)) for text in texts]
    found: list[set[int]] = [set() for _ in texts]
    for i in range(len(texts)):
        others = [j for j in range(len(texts)) if j != i]
        near = sorted(others, key=lambda j: (-round(float(vectors[i] @ vectors[j]), 5), j))[:k]
        shared = sorted(others, key=lambda j: (-len(words[i] & words[j]), j))[:k]
        for j in (*near, *shared):
            found[i].add(j)
            found[j].add(i)
    counts = [len(targets) for targets in found]
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    indices = np.array([j for targets in found for j in sorted(targets)], dtype=np.int32)
    return pagerank(indptr, indices).astype(np.float32)


@pytest.mark.parametrize("k", [1, 2, 5, 9])
def test_ranks_agree_with_a_naive_version(k: int) -> None:
    vectors = HashingEmbedder().embed(TEXTS)
    expected = naive_rank(TEXTS, vectors, min(k, 5))
    np.testing.assert_allclose(rank_chunks(vectors, TEXTS, k=k), expected, rtol=1e-6)


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = HashingEmbedder().embed(TEXTS)
    whole = rank_chunks(vectors, TEXTS)
    monkeypatch.setattr(stage, "_BLOCK_CELLS", 7)
    np.testing.assert_allclose(rank_chunks(vectors, TEXTS), whole)


def test_equal_texts_are_joined_to_the_earliest() -> None:
    texts = ["same words"] * 4
    first, *others = rank_chunks(HashingEmbedder().embed(texts), texts, k=1).tolist()
    assert first > others[0] and others == [pytest.approx(others[0])] * 3


def test_one_chunk_or_none_has_no_neighbours() -> None:
    vectors = HashingEmbedder().embed(["alone"])
    assert rank_chunks(vectors, ["alone"]).tolist() == [1.0]
    assert rank_chunks(vectors[:0], []).tolist() == []


def test_the_core_holds_the_highest_ranks_and_breaks_ties_by_place() -> None:
    rank = np.array([0.1, 0.3, 0.2, 0.2000000001, 0.2], dtype=np.float32)
    assert select_core_chunks(rank, 0.4).tolist() == [1, 2]
    assert select_core_chunks(rank, 1.0).tolist() == [0, 1, 2, 3, 4]
    assert select_core_chunks(rank, 0.0).tolist() == []
    assert select_core_chunks(rank, 0.01).tolist() == [1]
