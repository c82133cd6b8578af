"""The edge scorer, against a version that goes through every walk; the path scorer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hoptrail.models.graph_scorers import EdgeScorer, PathScorer, WalkedGraph

DIM, HOPS, RANK = 6, 3, 4
GENERATOR = np.random.default_rng(5)
HOPS, RANK, DIM = 3, 2, 4


def random_scorer(random: np.random.Generator) -> EdgeScorer:
    def normal(*shape: int) -> np.ndarray:
        return random.normal(size=shape).astype(np.float32)

    return EdgeScorer(
        question=normal(HOPS, 2, RANK, DIM).astype(np.float16),
        predicate=normal(RANK, DIM).astype(np.float16),
        length=normal(HOPS, DIM).astype(np.float16),
        bias=normal(HOPS, 2),
        length_bias=normal(HOPS),
        similarity=np.array(1.5, dtype=np.float32),
        topic_hidden=normal(8, 3),
        topic_out=normal(8),
        node=normal(4),
        embedder=np.array("hashing"),
    )


def random_graph(random: np.random.Generator, nodes: int = 9, edges: int = 14) -> WalkedGraph:
    ends = random.integers(nodes, size=(2, edges)).astype(np.int32)
    return WalkedGraph(
        source=ends[0],
        target=ends[1],
        predicate=random.integers(5, size=edges).astype(np.int32),
        predicates=random.normal(size=(5, DIM)).astype(np.float32),
        nodes=random.normal(size=(nodes, 4)).astype(np.float32),
        topics=np.array([0, 3], dtype=np.int32),
        topic_features=random.normal(size=(2, 2)).astype(np.float32),
    )


def all_walks(graph: WalkedGraph, longest: int) -> Iterator[tuple[int, list[tuple[int, bool]]]]:
    """Yield start and `(edge, backwards)` steps of every walk from a topic."""
    waiting: list[tuple[int, int, list[tuple[int, bool]]]]
    waiting = [(place, int(node), []) for place, node in enumerate(graph.topics)]
    while waiting:
        place, node, steps = waiting.pop()
        if steps:
            yield place, steps
        if len(steps) == longest:
            continue
        for edge in range(len(graph.source)):
            if graph.source[edge] == node:
                waiting.append((place, int(graph.target[edge]), [*steps, (edge, False)]))
            if graph.target[edge] == node:
                waiting.append((place, int(graph.source[edge]), [*steps, (edge, True)]))


def naive_scores(scorer: EdgeScorer, masked: np.ndarray, graph: WalkedGraph) -> dict[int, float]:
    """Return the best walk's score of each edge that a walk reaches."""
    best: dict[int, float] = {}
    for place, steps in all_walks(graph, scorer.hops):
        features = np.append(graph.topic_features[place], 1.0)
        score = float(np.tanh(scorer.topic_hidden @ features) @ scorer.topic_out)
        for hop, (edge, backwards) in enumerate(steps):
            vector = graph.predicates[graph.predicate[edge]]
            mapped = scorer.question[hop, int(backwards)].astype(np.float32) @ masked
            score += float(mapped @ (scorer.predicate.astype(np.float32) @ vector))
            score += float(scorer.bias[hop, int(backwards)])
            score += float(scorer.similarity) * float(vector @ masked)
        last, backwards = steps[-1]
        end = graph.source[last] if backwards else graph.target[last]
        score += float(scorer.length[len(steps) - 1].astype(np.float32) @ masked)
        score += float(scorer.length_bias[len(steps) - 1]) + float(graph.nodes[end] @ scorer.node)
        best[last] = max(score, best.get(last, score))
    return best


@pytest.mark.parametrize("seed", range(5))
def test_an_edge_has_the_score_of_the_best_walk_that_ends_with_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    scorer, graph = random_scorer(random), random_graph(random)
    masked = random.normal(size=DIM).astype(np.float32)
    found = scorer.edge_scores(masked, graph).scores
    expected = naive_scores(scorer, masked, graph)
    for edge, score in expected.items():
        assert found[edge] == pytest.approx(score, abs=1e-3)
    unreached = sorted(set(range(len(graph.source))) - expected.keys())
    assert (found[unreached] < -1e3).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_walk_to_an_edge_starts_at_a_topic_and_hangs_together(seed: int) -> None:
    random = np.random.default_rng(seed)
    scorer, graph = random_scorer(random), random_graph(random)
    found = scorer.edge_scores(random.normal(size=DIM).astype(np.float32), graph)
    for edge in np.flatnonzero(found.scores > -1e3).tolist():
        walk = found.walk_to(edge, graph.source, graph.target)
        assert walk[-1] == edge
        nodes = set(graph.topics.tolist())
        for step in walk:
            ends = {int(graph.source[step]), int(graph.target[step])}
            assert nodes & ends
            nodes = ends


def test_a_graph_without_edges_has_no_scores() -> None:
    random = np.random.default_rng(0)
    found = random_scorer(random).edge_scores(
        np.zeros(DIM, dtype=np.float32), random_graph(random, edges=0)
    )
    assert len(found.scores) == 0


def test_a_saved_scorer_is_the_same(tmp_path: Path) -> None:
    scorer = random_scorer(np.random.default_rng(0))
    scorer.save(tmp_path / "a.npz")
    EdgeScorer.load(tmp_path / "a.npz").save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_the_shipped_scorer_is_small_and_names_its_embedder() -> None:
    shipped = EdgeScorer.shipped()
    assert str(shipped.embedder) == "all-MiniLM-L6-v2"
    assert shipped.question.nbytes + shipped.predicate.nbytes + shipped.length.nbytes < 1_000_000


def some_scorer() -> PathScorer:
    return PathScorer(
        GENERATOR.normal(size=(HOPS, 2, RANK, 2 * DIM)).astype(np.float16),
        GENERATOR.normal(size=(RANK, DIM)).astype(np.float16),
        GENERATOR.normal(size=(HOPS, 2 * DIM)).astype(np.float16),
        GENERATOR.normal(size=(HOPS, 2)).astype(np.float32),
        GENERATOR.normal(size=(HOPS, 2)).astype(np.float32),
        np.array("some-embedder"),
    )


def test_a_path_scores_the_sum_of_its_steps_and_its_length() -> None:
    scorer = some_scorer()
    question = GENERATOR.normal(size=(2, DIM)).astype(np.float32)
    whole = question.reshape(-1)
    predicates = GENERATOR.normal(size=(3, DIM)).astype(np.float32)
    paths = [(0,), (1, 4), (5, 2, 3), (4, 1)]
    rows = np.array([[0, -1, -1], [1, 4, -1], [5, 2, 3], [4, 1, -1]], dtype=np.int32)
    expected = []
    for path in paths:
        score = float(scorer.length[len(path) - 1] @ whole)
        for place, step in enumerate(path):
            told = predicates[step // 2]
            mapped = scorer.question[place, step % 2] @ whole
            score += float(mapped @ (scorer.predicate @ told)) + scorer.bias[place, step % 2]
            score += float(scorer.similarity[place] @ (question @ told))
        expected.append(score)
    np.testing.assert_allclose(scorer.scores(question, predicates, rows), expected, rtol=1e-4)


def test_saved_twice_gives_equal_bytes_and_the_same_scorer(tmp_path: Path) -> None:
    scorer = some_scorer()
    scorer.save(tmp_path / "a.npz")
    scorer.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    np.testing.assert_array_equal(PathScorer.load(tmp_path / "a.npz").question, scorer.question)


def test_shipped_scorer_takes_three_hops_of_the_default_embedder() -> None:
    scorer = PathScorer.shipped()
    assert scorer.hops == 3
    assert str(scorer.embedder) == "all-MiniLM-L6-v2"
