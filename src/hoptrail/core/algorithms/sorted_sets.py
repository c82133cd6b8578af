"""Sets of numbers or hashes as sorted arrays; NumPy's own functions hash, which is slower here."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

N = TypeVar("N", bound=np.generic)


def distinct(numbers: NDArray[N]) -> NDArray[N]:
    """Return the distinct numbers, ascending."""
    ordered = np.sort(numbers)
    return ordered[is_first_of_run(ordered)]


def distinct_places(numbers: NDArray[N]) -> tuple[NDArray[N], NDArray[np.intp]]:
    """Return the distinct numbers, ascending, and the place of each number among them."""
    found = distinct(numbers)
    return found, np.searchsorted(found, numbers)


def is_first_of_run(ordered: NDArray[N]) -> NDArray[np.bool_]:
    """Return which of some sorted numbers differ from the one before."""
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return is_first


def is_among(ordered: NDArray[N], numbers: NDArray[N]) -> NDArray[np.bool_]:
    """Return which of the numbers are among some sorted ones, shape (len(numbers),)."""
    if len(ordered) == 0:
        return np.zeros(len(numbers), dtype=np.bool_)
    places = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[places] == numbers
    return found
