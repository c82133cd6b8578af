from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.algorithms.best_edges import best_of_runs

SCORES = st.sampled_from([-0.5, 0.0, 0.1, 0.1, 0.9])


@given(st.lists(st.lists(SCORES, max_size=9)), st.integers(1, 4))
def test_of_each_run_the_highest_are_kept_the_first_of_equals(
    runs: list[list[float]], most: int
) -> None:
    kept = best_of_runs(
        np.array([score for run in runs for score in run], dtype=np.float32),
        np.array([len(run) for run in runs], dtype=np.int32),
        most,
    )
    wanted = []
    for run in runs:
        best = sorted(range(len(run)), key=lambda place: (-run[place], place))[:most]
        wanted += [place in best for place in range(len(run))]
    assert kept.tolist() == wanted
