"""The view that a retriever reads; its name stands here for retrievers of other packages."""

from __future__ import annotations

from hoptrail.stores.knowledge_source import View

__all__ = ["View"]
