from __future__ import annotations

from pathlib import Path

import numpy as np

from hoptrail.models.path_scorer import PathScorer

GENERATOR = np.random.default_rng(5)
HOPS, RANK, DIM = 3, 2, 4


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
