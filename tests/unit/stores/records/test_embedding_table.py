from __future__ import annotations

import numpy as np

from hoptrail.stores.records.embedding_table import HashPlaces
from hoptrail.stores.records.stored_values import HASH_TYPE, text_hash


def test_hashes_are_found_in_their_places() -> None:
    known = np.sort(np.array([text_hash(str(number)) for number in range(100)], HASH_TYPE))
    # One that begins as another does is not that one.
    alike = np.array([known[7][:8] + b"0" * 24], HASH_TYPE)
    wanted = np.concatenate((known[::-1], alike))
    assert HashPlaces(known).of(wanted).tolist() == [*range(99, -1, -1), -1]
    assert HashPlaces(known[:0]).of(alike).tolist() == [-1]
    assert HashPlaces(known).of(known[:0]).tolist() == []


def test_of_hashes_that_begin_alike_each_is_found() -> None:
    beginnings = [f"{number:08}" for number in range(50)]
    known = np.array([one + end * 24 for one in beginnings for end in "0f"], HASH_TYPE)
    assert HashPlaces(known).of(known).tolist() == list(range(100))
