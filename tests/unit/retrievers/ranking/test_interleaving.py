from __future__ import annotations

from hoptrail.retrievers.ranking.interleaving import in_turns


def test_orders_take_turns_and_no_row_comes_twice() -> None:
    assert list(in_turns(([1, 2, 3, 4], 2), ([9, 1, 8], 1))) == [1, 2, 9, 3, 4, 8]


def test_the_longer_order_ends_alone() -> None:
    assert list(in_turns(([1], 1), ([2, 3, 4], 1))) == [1, 2, 3, 4]


def test_nothing_comes_of_nothing() -> None:
    assert list(in_turns(([], 2), ([], 1))) == []
