"""Writes the reports that communities lack, the finest level first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from hoptrail.agents.community_reports.extractive_reporter import extractive_report
from hoptrail.agents.community_reports.report_material import ReportMaterial
from hoptrail.core.errors import HoptrailError
from hoptrail.core.machine import paused_garbage_collection
from hoptrail.core.progress import Progress
from hoptrail.core.types import Community, NodeUsage, Usage
from hoptrail.indexing.communities.materials import LevelMaterials
from hoptrail.indexing.communities.model_reports import ModelReports, ReportGuide
from hoptrail.indexing.communities.options import CommunityOptions
from hoptrail.indexing.communities.outcome import FailedReport, LevelOutcome
from hoptrail.indexing.communities.shelf import EXTRACTIVE, ReportShelf
from hoptrail.indexing.model_calls.spending_limit import SpendingLimit
from hoptrail.indexing.ms_graphrag.graph import EXTRACTOR as IMPORTED
from hoptrail.stores.knowledge_base import KnowledgeBase

_RELATIONS_READ = 200
_TOKENS_PER_RELATION = 10  # at least, in a prompt
_BATCH = 256

Parts = Mapping[str, Sequence[Community]]


class ReportStage:
    """Reports on the hierarchy of a knowledge base.

    What the model does not write, because there is none or it stopped, is written without it.
    Reports of other models stay until they are replaced.

    Args:
        kb: A knowledge base whose graph is published and clustered.
        guide: The model and how it is asked; None to write without one.
        progress: Observer.
        limit: What the run may spend; by default what the guide's options allow.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        guide: ReportGuide | None,
        progress: Progress,
        limit: SpendingLimit | None = None,
    ) -> None:
        self._kb = kb
        self._guide = guide
        self._progress = progress
        self._index = kb.unpublished_community_index()
        self._settled = settled_keys(kb, guide)
        self._shelf = ReportShelf(kb)
        self._model = None
        if guide is not None:
            limit = limit or SpendingLimit(guide.options.max_usd)
            self._model = ModelReports(guide, self._shelf, progress, limit)

    @property
    def stopped_by(self) -> HoptrailError | None:
        """The error that ended the model's calls before all were made, None where none did."""
        return None if self._model is None else self._model.stopped_by

    @property
    def failed(self) -> tuple[FailedReport, ...]:
        """The communities that the model gave no readable report on."""
        return () if self._model is None else tuple(self._model.failed)

    @property
    def usage(self) -> Usage:
        """The usage of the model's calls."""
        return Usage() if self._model is None else self._model.usage

    def run(self) -> tuple[LevelOutcome, ...]:
        """Write what is missing and return what was done by level, the coarsest first."""
        outcomes: list[LevelOutcome] = []
        reports: Parts = {}
        for level in reversed(self._kb.community_levels()):
            communities = self._kb.communities(level.level)
            self._report_on(level.level, communities, reports)
            outcomes.append(self._outcome(level.level, communities))
            reports = reports_by_parent(self._kb.communities(level.level))
        return tuple(reversed(outcomes))

    def _report_on(self, level: int, communities: Sequence[Community], reports: Parts) -> None:
        pending = [c for c in communities if self._shelf.key(c) not in self._settled]
        if pending and self._guide is not None and self.stopped_by is None:
            self._ask(self._guide, level, pending, reports)
        missing = [c for c in pending if not self._shelf.has(c)]
        if missing:
            self._extract(level, missing, reports)

    def _ask(
        self, guide: ReportGuide, level: int, pending: Sequence[Community], reports: Parts
    ) -> None:
        most = relations_for_prompt(guide.options)
        materials = LevelMaterials(self._kb, self._index, level, most_relations=most)

        def gather(community: Community) -> ReportMaterial:
            return next(materials.of([community], reports))

        if self._model is not None:
            asked = [c for c in pending if materials.relation_count(c)]
            self._model.write([partial(gather, community) for community in asked])

    @paused_garbage_collection()
    def _extract(self, level: int, missing: Sequence[Community], reports: Parts) -> None:
        materials = LevelMaterials(self._kb, self._index, level, most_relations=_RELATIONS_READ)
        stage = f"reports, level {level}"
        self._progress.start(stage, len(missing))
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            with self._kb.transaction():
                for report in map(extractive_report, materials.of(batch, reports)):
                    if report is not None:
                        self._shelf.put(report, EXTRACTIVE, NodeUsage())
            self._progress.advance(stage, len(batch))
        self._progress.finish(stage)

    def _outcome(self, level: int, communities: Sequence[Community]) -> LevelOutcome:
        made = sum(map(self._shelf.is_new, communities))
        reported = sum(map(self._shelf.has, communities))
        unfounded = set[str]() if self._model is None else self._model.dropped
        return LevelOutcome(
            level=level,
            communities=len(communities),
            reported=reported,
            reused=reported - made,
            made=made,
            dropped=sum(community.id in unfounded for community in communities),
        )


def settled_keys(kb: KnowledgeBase, guide: ReportGuide | None) -> set[str]:
    """Return the keys of the reports that a run leaves as they are.

    Without a model that is every report; with one its own and the imported ones.
    """
    if guide is None:
        return kb.report_keys()
    makers = (guide.key, guide.dropped_key, IMPORTED)
    return set().union(*(kb.report_keys(maker) for maker in makers))


def reports_by_parent(communities: Iterable[Community]) -> dict[str, list[Community]]:
    """Return those that have a report, by the id of their parent."""
    found: dict[str, list[Community]] = {}
    for community in communities:
        if community.parent is not None and community.title:
            found.setdefault(community.parent, []).append(community)
    return found


def relations_for_prompt(options: CommunityOptions) -> int:
    """Return how many relations can matter to a prompt: more would not fit."""
    return options.material_tokens // _TOKENS_PER_RELATION
