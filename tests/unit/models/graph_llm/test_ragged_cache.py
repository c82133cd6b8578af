"""How much room the cache takes; what it computes is tested with the decoder."""

from __future__ import annotations

from typing import Any

import torch

from hoptrail.models.graph_llm.ragged_cache import RaggedCache


def prefill(cache: RaggedCache, lengths: list[int]) -> None:
    cache.begin_prefill(lengths)
    states = torch.ones(len(lengths), 1, max(lengths), 2)
    cache.update(states, states, 0)
    cache.end()


def step(cache: RaggedCache) -> torch.Tensor:
    cache.begin_step(torch.device("cpu"))
    states = torch.ones(len(cache.lengths), 1, 1, 2)
    keys, _ = cache.update(states, states, 0)
    cache.end()
    return keys


def room(cache: RaggedCache) -> tuple[int, int]:
    layer: Any = cache.layers[0]
    rows, _, columns, _ = layer._keys.shape
    return rows, columns


def test_room_is_doubled() -> None:
    cache = RaggedCache(1, most_rows=32, most_columns=1000, most_tokens=10_000)
    prefill(cache, [100])
    prefill(cache, [70])
    prefill(cache, [70])
    assert room(cache) == (4, 100)
    step(cache)
    assert room(cache) == (4, 200)


def test_room_ends_at_the_most_rows_and_columns() -> None:
    cache = RaggedCache(1, most_rows=3, most_columns=120, most_tokens=10_000)
    prefill(cache, [100, 90])
    prefill(cache, [80])
    step(cache)
    assert room(cache) == (3, 120)


def test_spare_rows_are_given_back_for_a_long_request() -> None:
    cache = RaggedCache(1, most_rows=32, most_columns=1000, most_tokens=2000)
    prefill(cache, [10] * 16)
    for row in range(15, 0, -1):
        cache.remove(row)
    prefill(cache, [900])
    step(cache)
    assert room(cache) == (2, 1000)


def test_spare_columns_are_given_back_for_many_requests() -> None:
    cache = RaggedCache(1, most_rows=32, most_columns=1000, most_tokens=2000)
    prefill(cache, [900, 10])
    cache.remove(0)
    prefill(cache, [10] * 19)
    assert room(cache) == (20, 100)


def test_what_is_stored_survives_every_change_of_room() -> None:
    cache = RaggedCache(1, most_rows=8, most_columns=64, most_tokens=80)
    for length in (3, 5, 9, 2):
        prefill(cache, [length])
        keys = step(cache)
    for row, length in enumerate(cache.lengths):
        assert keys[row, 0, :length].eq(1).all()
        assert keys[row, 0, length:].eq(0).all()
