"""Values that are derived once from a generation of a knowledge base and serve all questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, cast

from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.stores.knowledge_source import KnowledgeSource

T = TypeVar("T")


class PerGeneration(Generic[T]):
    """Derives a value once per view of a generation; usable from any thread.

    An embedded base shows all questions of a generation the same arrays, and the value lives as
    long as these. Two threads that ask at the same time may both derive it; the values are equal.

    Args:
        derive: A pure function of the view's arrays and the knowledge base's embedder.
    """

    def __init__(self, derive: Callable[[KnowledgeSource, View], T]) -> None:
        self._derive = derive

    def of(self, kb: KnowledgeSource, view: View) -> T:
        """Return the value that belongs to this view of the knowledge base."""
        if self not in view.derived:
            view.derived[self] = self._derive(kb, view)
        return cast(T, view.derived[self])
