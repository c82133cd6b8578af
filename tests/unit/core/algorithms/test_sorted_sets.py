from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.algorithms.sorted_sets import distinct, distinct_places, is_among

NUMBERS = st.lists(st.integers(-5, 5))


@given(NUMBERS, NUMBERS)
def test_they_are_sets(some: list[int], others: list[int]) -> None:
    ordered = distinct(np.array(some, dtype=np.int64))
    assert ordered.tolist() == sorted(set(some))
    found = is_among(ordered, np.array(others, dtype=np.int64))
    assert found.tolist() == [number in some for number in others]


@given(numbers=st.lists(st.integers(-5, 50)))
def test_each_number_is_told_its_place_among_the_distinct_ones(numbers: list[int]) -> None:
    found, places = distinct_places(np.array(numbers, dtype=np.int64))
    assert found.tolist() == sorted(set(numbers))
    assert found[places].tolist() == numbers
