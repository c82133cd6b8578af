"""A memory for the values that were used last."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class LruCache(Generic[K, T]):
    """Remembers values, the least recently used forgotten; usable from any thread.

    Args:
        most: How many values to remember.
    """

    def __init__(self, most: int) -> None:
        self._values: LRUCache[K, T] = LRUCache(most)
        self._lock = Lock()

    def __len__(self) -> int:
        """Number of values that are remembered."""
        return len(self._values)

    def get(self, key: K, make: Callable[[], T]) -> T:
        """Return the value of a key, made where it is not known.

        Two threads that ask at the same time may both make it; the first value is kept.
        """
        with self._lock:
            if key in self._values:
                return self._values[key]
        value = make()
        with self._lock:
            return self._values.setdefault(key, value)

    def forget_others(self, key: K) -> None:
        """Forget all values but that of a key: before another is made that needs the room."""
        with self._lock:
            for other in [one for one in self._values if one != key]:
                del self._values[other]

    def known(self, keys: Iterable[K]) -> dict[K, T]:
        """Return the values of those keys that are known."""
        with self._lock:
            return {key: self._values[key] for key in keys if key in self._values}

    def remember(self, values: Mapping[K, T]) -> None:
        """Remember values, of which the last ones stay where there are too many."""
        with self._lock:
            self._values.update(values)
