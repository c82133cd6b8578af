"""The snapshot that a process reads from: loaded when first needed, renewed on demand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hoptrail.stores.snapshot.snapshot import Snapshot


class CurrentSnapshot:
    """Holds one generation for all threads; usable from any of them.

    Args:
        load: Returns the newest generation's snapshot.
    """

    def __init__(self, load: Callable[[], Snapshot]) -> None:
        self._load = load
        self._shared: Snapshot | None = None
        self._lock = threading.Lock()
        self._local = threading.local()

    def get(self) -> Snapshot:
        """Return the snapshot that this thread is to read."""
        pinned = self._pinned()
        if pinned is not None:
            return pinned
        with self._lock:
            if self._shared is None:
                self._shared = self._load()
            return self._shared

    def refresh(self, newest: int) -> bool:
        """Load anew where another generation is the newest, and return whether that was so."""
        with self._lock:
            if self._shared is None or self._shared.index.generation == newest:
                return False
            self._shared = self._load()
            return True

    def drop(self) -> None:
        """Forget the snapshot; the next reader loads the newest."""
        with self._lock:
            self._shared = None

    @contextmanager
    def pinned(self) -> Iterator[None]:
        """Give this thread the same snapshot throughout, whatever others refresh."""
        outer = self._pinned()
        self._local.snapshot = self.get()
        try:
            yield
        finally:
            self._local.snapshot = outer

    def _pinned(self) -> Snapshot | None:
        snapshot: Snapshot | None = getattr(self._local, "snapshot", None)
        return snapshot
