"""A view that outlives its block, for tests of what reads one."""

from __future__ import annotations

from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import View


def view_of(kb: KnowledgeBase) -> View:
    """Return the present generation; nothing is published while a test holds it."""
    with kb.view() as view:
        return view
