"""The static model can be made again from what it was made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.static_texts import TRAINED_ON, digest_of, training_texts


@pytest.mark.slow
def test_the_texts_are_those_of_the_vectors_that_are_shipped(data_dir: Path) -> None:
    assert digest_of(training_texts(data_dir)) == TRAINED_ON
