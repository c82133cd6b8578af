from __future__ import annotations

import threading

from hoptrail.core.lru_cache import LruCache


def test_a_known_value_is_not_made_again() -> None:
    cache: LruCache[str, list[int]] = LruCache(2)
    assert cache.get("a", lambda: [1]) is cache.get("a", lambda: [2])


def test_the_value_that_was_asked_for_longest_ago_is_forgotten() -> None:
    cache: LruCache[str, int] = LruCache(2)
    for key in ("a", "b", "a", "c"):
        cache.get(key, lambda: 1)
    assert cache.known(["a", "b", "c"]) == {"a": 1, "c": 1}


def test_a_value_that_was_looked_up_among_others_counts_as_used() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.remember({"a": 1, "b": 2})
    cache.known(["a", "unknown"])
    cache.remember({"c": 3})
    assert cache.known(["a", "b", "c"]) == {"a": 1, "c": 3}


def test_of_too_many_values_the_last_are_remembered() -> None:
    cache: LruCache[int, int] = LruCache(3)
    cache.remember({number: number for number in range(10)})
    assert len(cache) == 3
    assert cache.known(range(10)) == {7: 7, 8: 8, 9: 9}


def test_of_two_threads_that_make_a_value_both_get_the_first() -> None:
    cache: LruCache[str, object] = LruCache(2)
    both_make = threading.Barrier(2, timeout=10)
    values: list[object] = []

    def make() -> object:
        both_make.wait()
        return object()

    threads = [
        threading.Thread(target=lambda: values.append(cache.get("a", make))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values[0] is values[1]


def test_others_are_forgotten_before_room_is_needed() -> None:
    cache: LruCache[str, str] = LruCache(3)
    cache.remember({"a": "A", "b": "B"})
    cache.forget_others("b")
    assert cache.known("ab") == {"b": "B"}
