from __future__ import annotations

from pathlib import Path

import numpy as np

from hoptrail.models.learned_weights import LinearClassifier

CLASSIFIER = LinearClassifier(
    ("low", "high"),
    np.array([[-1.0, 1.0]], dtype=np.float32),
    np.array([0.0, 0.0], dtype=np.float32),
    "some-embedder",
)


def test_probabilities_are_a_softmax_of_the_scores() -> None:
    found = CLASSIFIER.probabilities(np.array([[0.0], [2.0], [1000.0]], dtype=np.float32))
    expected = [[0.5, 0.5], [1 / (1 + np.exp(4)), 1 / (1 + np.exp(-4))], [0.0, 1.0]]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_saved_twice_gives_equal_bytes(tmp_path: Path) -> None:
    CLASSIFIER.save(tmp_path / "a.npz")
    CLASSIFIER.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    CLASSIFIER.save(tmp_path / "a.npz")
    loaded = LinearClassifier.load(tmp_path / "a.npz")
    assert (loaded.classes, loaded.embedder) == (CLASSIFIER.classes, CLASSIFIER.embedder)
    np.testing.assert_array_equal(loaded.weights, CLASSIFIER.weights)
