"""Writes the reports that communities lack, the finest level first, each stored when it exists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from hoptrail.agents.community_reports.extractive_reporter import extractive_report
from hoptrail.agents.community_reports.model_reporter import report_prompt, write_report
from hoptrail.agents.community_reports.report_statements import ReportMaterial
from hoptrail.core.background import run_to_end
from hoptrail.core.budget import Meter
from hoptrail.core.errors import HoptrailError, ModelReplyError, ModelUnavailableError
from hoptrail.core.machine import paused_garbage_collection
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Price
from hoptrail.core.types import Community, NodeUsage, Usage
from hoptrail.indexing.communities.materials import LevelMaterials
from hoptrail.indexing.given_graphs.ms_graphrag.graph import EXTRACTOR as IMPORTED
from hoptrail.indexing.options import CommunityOptions
from hoptrail.indexing.report import FailedReport, LevelOutcome
from hoptrail.indexing.spending import PaidCalls, SpendingLimit, estimate_usage
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import Prompts
from hoptrail.stores.knowledge_base import KnowledgeBase

EXTRACTIVE = "extractive"
"""The maker of reports that were written without a model."""

_MOST_REPLY_TOKENS = 700
_REPLY_SHARE = 3  # a report is asked to be no longer than what it has to say
MaterialSource = Callable[[], ReportMaterial]
"""Gathers the material of one community when its turn comes."""
_RELATIONS_READ = 200
_TOKENS_PER_RELATION = 10  # at least, in a prompt
_BATCH = 256
Parts = Mapping[str, Sequence[Community]]


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


@dataclass(frozen=True, slots=True)
class ReportGuide:
    """The model of the run, the name its reports are stored under, and how it is asked."""

    model: RoleModel
    key: str
    options: CommunityOptions
    price: Price | None
    prompts: Prompts

    @property
    def dropped_key(self) -> str:
        """The name of what stands in for the model's reports that had no reference."""
        return f"{self.key}:dropped"


class ModelReports:
    """Asks the model, and puts an extractive report wherever it gives none.

    It is not asked about communities with nothing to tell.
    After a failure the model is asked again in the next run, and an earlier report stays; after a
    reply without any reference it is not.

    Args:
        guide: The model and how it is asked.
        shelf: Where reports go.
        progress: Observer.
        limit: What the run may spend.
    """

    def __init__(
        self, guide: ReportGuide, shelf: ReportShelf, progress: Progress, limit: SpendingLimit
    ) -> None:
        self._guide = guide
        self._shelf = shelf
        self._calls = PaidCalls[MaterialSource](
            "reports",
            self._work,
            estimate=self._estimate,
            concurrency=guide.options.concurrency,
            limit=limit,
            progress=progress,
        )
        self.usage = Usage()
        self.failed: list[FailedReport] = []
        self.dropped: set[str] = set()

    @property
    def stopped_by(self) -> HoptrailError | None:
        """The error that ended the calls before all were made, None where none did."""
        return self._calls.stopped_by

    def write(self, sources: Sequence[MaterialSource]) -> None:
        """Report on the communities, `concurrency` at the same time, until done or stopped."""
        run_to_end(self._calls.run(sources))

    def _estimate(self, source: MaterialSource) -> float:
        if self._guide.options.max_usd is None:
            return 0.0
        material = source()
        return estimate_call(material, self._guide).usd if material.tells_something else 0.0

    async def _work(self, source: MaterialSource) -> float:
        material = source()
        if not material.tells_something:
            return 0.0
        meter, begin = Meter("report"), perf_counter()
        try:
            report = await write_report(
                material,
                self._guide.model,
                meter,
                budget=self._guide.options.material_tokens,
                prompts=self._guide.prompts,
            )
        except (ModelReplyError, ModelUnavailableError) as error:
            self._fail(material, error, self._book(meter, begin))
            if isinstance(error, ModelUnavailableError):
                raise
        else:
            self._keep(material, report, self._book(meter, begin))
        return meter.usage.usd

    def _book(self, meter: Meter, begin: float) -> NodeUsage:
        usage = meter.spent(perf_counter() - begin)
        self.usage = self.usage.add("report", usage)
        return usage

    def _keep(self, material: ReportMaterial, report: Community | None, usage: NodeUsage) -> None:
        if report is not None:
            self._shelf.put(report, self._guide.key, usage)
            return
        self.dropped.add(material.community.id)
        self._stand_in(material, self._guide.dropped_key, usage)

    def _fail(self, material: ReportMaterial, error: HoptrailError, usage: NodeUsage) -> None:
        self.failed.append(FailedReport(material.community.id, error.message))
        if not self._shelf.has(material.community):
            self._stand_in(material, EXTRACTIVE, usage)

    def _stand_in(self, material: ReportMaterial, maker: str, usage: NodeUsage) -> None:
        report = extractive_report(material)
        if report is not None:
            self._shelf.put(report, maker, usage)


def estimate_call(material: ReportMaterial, guide: ReportGuide) -> NodeUsage:
    """Return what one report will spend, about; dollars are 0 where the price is unknown."""
    messages = report_prompt(material, guide.options.material_tokens, guide.prompts)
    read = estimate_usage(messages, 0, None).prompt_tokens
    reply = min(read // _REPLY_SHARE, _MOST_REPLY_TOKENS)
    return estimate_usage(messages, reply, guide.price)


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
