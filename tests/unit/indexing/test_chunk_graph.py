from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import content_words
from hoptrail.indexing import chunk_graph
from hoptrail.indexing.chunk_graph import build_chunk_graph, select_skeleton
from hoptrail.testing import HashingEmbedder

TEXTS = [
    "The Seine flows through Paris",
    "Paris lies on the Seine",
    "Sodium reacts with water",
    "Water and sodium react",
    "Chess is a game of kings",
    "Kings of chess play a long game in Paris",
]


def neighbour_sets(texts: list[str], k: int) -> list[set[int]]:
    graph = build_chunk_graph(HashingEmbedder().embed(texts), texts, k=k)
    return [set(graph.neighbors.row(i).tolist()) for i in range(len(texts))]


def naive_neighbours(texts: list[str], vectors: FloatArray, k: int) -> list[set[int]]:
    words = [set(content_words(text)) for text in texts]
    found: list[set[int]] = [set() for _ in texts]
    for i in range(len(texts)):
        others = [j for j in range(len(texts)) if j != i]
        near = sorted(others, key=lambda j: (-round(float(vectors[i] @ vectors[j]), 5), j))[:k]
        shared = sorted(others, key=lambda j: (-len(words[i] & words[j]), j))[:k]
        for j in (*near, *shared):
            found[i].add(j)
            found[j].add(i)
    return found


def test_neighbours_agree_with_a_naive_version() -> None:
    vectors = HashingEmbedder().embed(TEXTS)
    for k in (1, 2, 5, 9):
        assert neighbour_sets(TEXTS, k) == naive_neighbours(TEXTS, vectors, min(k, 5))


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = HashingEmbedder().embed(TEXTS)
    whole = build_chunk_graph(vectors, TEXTS)
    monkeypatch.setattr(chunk_graph, "_BLOCK_CELLS", 7)
    cut = build_chunk_graph(vectors, TEXTS)
    np.testing.assert_array_equal(whole.neighbors.indices, cut.neighbors.indices)
    assert whole.neighbors.data is not None and cut.neighbors.data is not None
    np.testing.assert_allclose(whole.neighbors.data, cut.neighbors.data)


def test_equal_texts_are_joined_by_place() -> None:
    assert neighbour_sets(["same words"] * 4, 1) == [{1, 2, 3}, {0}, {0}, {0}]


def test_weights_are_similarities() -> None:
    vectors = HashingEmbedder().embed(TEXTS)
    graph = build_chunk_graph(vectors, TEXTS)
    row = graph.neighbors.row(0)
    np.testing.assert_allclose(graph.neighbors.weights(0), vectors[row] @ vectors[0], atol=1e-5)


def test_one_chunk_or_none_has_no_neighbours() -> None:
    vectors = HashingEmbedder().embed(["alone"])
    assert build_chunk_graph(vectors, ["alone"]).rank.tolist() == [1.0]
    assert build_chunk_graph(vectors[:0], []).rank.tolist() == []


def test_the_skeleton_holds_the_highest_ranks_and_breaks_ties_by_place() -> None:
    rank = np.array([0.1, 0.3, 0.2, 0.2000000001, 0.2], dtype=np.float32)
    assert select_skeleton(rank, 0.4).tolist() == [1, 2]
    assert select_skeleton(rank, 1.0).tolist() == [0, 1, 2, 3, 4]
    assert select_skeleton(rank, 0.0).tolist() == []
    assert select_skeleton(rank, 0.01).tolist() == [1]
