"""The reports of a knowledge base during one run: which are there, and which are new."""

from __future__ import annotations

from hoptrail.core.types import Community, NodeUsage
from hoptrail.stores.knowledge_base import KnowledgeBase

EXTRACTIVE = "extractive"
"""The maker of reports that were written without a model."""


class ReportShelf:
    """Stores reports under the content hash of their community, each at once.

    Args:
        kb: A knowledge base that is clustered.
    """

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._keys = kb.community_keys()
        self._reported = kb.report_keys()
        self._made: set[str] = set()

    def key(self, community: Community) -> str:
        """Return the content hash of a community."""
        return self._keys[community.id]

    def has(self, community: Community) -> bool:
        """Return whether a community has a report, whoever made it."""
        return self._keys[community.id] in self._reported

    def is_new(self, community: Community) -> bool:
        """Return whether the report of a community was made in this run."""
        return community.id in self._made

    def put(self, report: Community, maker: str, usage: NodeUsage) -> None:
        """Store a report in the place of an earlier one."""
        self._kb.put_report(self._keys[report.id], report, maker=maker, usage=usage)
        self._reported.add(self._keys[report.id])
        self._made.add(report.id)
