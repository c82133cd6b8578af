"""Items of foreign code that hangs, raises or never ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

from hoptrail.indexing.loading.feeds.loaders import StoppedError, bounded

LONG = 600.0


def read(
    make: Callable[[], Iterable[Any]],
    *,
    items: int = 100,
    seconds: float = LONG,
    silence: float = LONG,
) -> str:
    """Return what came, and how it ended."""
    came: list[Any] = []
    try:
        for item in bounded(make, items=items, seconds=seconds, silence=silence):
            came.append(item)
    except StoppedError as error:
        return f"{came} {error}"
    return f"{came} end"


def test_items_come_in_their_order_up_to_the_end() -> None:
    assert read(lambda: iter("abc")) == "['a', 'b', 'c'] end"
    assert read(lambda: iter("abc"), items=3) == "['a', 'b', 'c'] end"
    assert read(lambda: []) == "[] end"


def test_an_item_that_is_none_is_not_the_end() -> None:
    assert read(lambda: [1, None, 2]) == "[1, None, 2] end"


def test_what_never_ends_is_stopped_at_the_limit() -> None:
    assert read(count, items=1) == "[0] stopped after 1 document, the limit"
    assert read(count, items=2) == "[0, 1] stopped after 2 documents, the limit"


def test_an_error_in_the_middle_keeps_what_came_before() -> None:
    def make() -> Iterator[int]:
        yield 1
        raise ConnectionError("reset\nby peer")

    assert read(make) == "[1] ConnectionError: reset by peer"


def test_what_hangs_is_given_up() -> None:
    released = threading.Event()

    def make() -> Iterator[int]:
        yield 1
        released.wait()

    assert read(make, silence=0.01) == "[1] nothing came for 0 seconds"
    assert read(make, seconds=0.01) == "[1] not at its end after 0 seconds"
    released.set()


def test_an_abandoned_reading_ends_its_thread() -> None:
    before = set(threading.enumerate())
    for _ in bounded(count, items=100, seconds=LONG, silence=LONG):
        break
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=10)
        assert not thread.is_alive()
