"""Values that are derived once from a generation of a knowledge base and serve all questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.stores.knowledge_base import KnowledgeBase

T = TypeVar("T")


class PerGeneration(Generic[T]):
    """Derives a value once per knowledge base and generation; usable from any thread.

    Two threads that ask at the same time may both derive it; the values are equal.

    Args:
        derive: A pure function of the view's arrays and the knowledge base's embedder.
    """

    def __init__(self, derive: Callable[[KnowledgeBase, View], T]) -> None:
        self._derive = derive
        self._known: WeakKeyDictionary[KnowledgeBase, tuple[int, T]] = WeakKeyDictionary()

    def of(self, kb: KnowledgeBase, view: View) -> T:
        """Return the value that belongs to this view of the knowledge base."""
        known = self._known.get(kb)
        if known is not None and known[0] == view.index.generation:
            return known[1]
        value = self._derive(kb, view)
        self._known[kb] = (view.index.generation, value)
        return value
