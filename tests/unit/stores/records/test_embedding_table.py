from __future__ import annotations

import numpy as np
import pytest

from hoptrail.stores.records.embedded_text import HASH_TYPE, text_hash
from hoptrail.stores.records.embedding_table import places_among


@pytest.mark.parametrize("count", [100, 20_000])
def test_hashes_are_found_in_their_places_however_many(count: int) -> None:
    known = np.sort(np.array([text_hash(str(number)) for number in range(count)], HASH_TYPE))
    # One that begins as another does is not that one.
    alike = np.array([known[7][:8] + b"0" * 24], HASH_TYPE)
    wanted = np.concatenate((known[::-1], alike))
    assert places_among(known, wanted).tolist() == [*range(count - 1, -1, -1), -1]


def test_of_hashes_that_begin_alike_each_is_found() -> None:
    beginnings = [f"{number:08}" for number in range(5000)]
    known = np.array([one + end * 24 for one in beginnings for end in "0f"], HASH_TYPE)
    assert places_among(known, known).tolist() == list(range(10_000))
