from __future__ import annotations

from hoptrail.models.embedding.batches import batches_by_length


def test_batches_hold_every_text_once_and_similar_lengths_together() -> None:
    lengths = [10, 4000, 20, 3900, 15, 800, 0]
    batches = list(batches_by_length(lengths))
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    assert batches[0] == [1, 3, 5, 2]


def test_many_long_texts_are_split_and_short_ones_share_a_batch() -> None:
    assert [len(batch) for batch in batches_by_length([4000] * 9)] == [4, 4, 1]
    assert [len(batch) for batch in batches_by_length([30] * 100)] == [100]


def test_no_text_makes_no_batch() -> None:
    assert list(batches_by_length([])) == []
