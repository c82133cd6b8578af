"""The view that a retriever reads; its name stands here for retrievers of other packages."""

from __future__ import annotations

from hoptrail.stores.view import View

__all__ = ["View"]
