"""Has a chat model report on many communities at once; each report is stored when it exists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from hoptrail.agents.community_reports.extractive_reporter import extractive_report
from hoptrail.agents.community_reports.model_reporter import report_prompt, write_report
from hoptrail.agents.community_reports.report_material import ReportMaterial
from hoptrail.core.background import run_to_end
from hoptrail.core.budget import Meter
from hoptrail.core.errors import HoptrailError, ModelReplyError, ModelUnavailableError
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Price
from hoptrail.core.types import Community, NodeUsage, Usage
from hoptrail.indexing.communities.options import CommunityOptions
from hoptrail.indexing.communities.outcome import FailedReport
from hoptrail.indexing.communities.shelf import EXTRACTIVE, ReportShelf
from hoptrail.indexing.model_calls.paid_calls import PaidCalls
from hoptrail.indexing.model_calls.prices import estimate_usage
from hoptrail.indexing.model_calls.spending_limit import SpendingLimit
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import Prompts

_MOST_REPLY_TOKENS = 700
_REPLY_SHARE = 3  # a report is asked to be no longer than what it has to say

MaterialSource = Callable[[], ReportMaterial]
"""Gathers the material of one community when its turn comes."""


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
