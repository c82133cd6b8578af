"""Finds the communities of a knowledge base and sees to it that each has a report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from hoptrail.agents.community_reports.model_reporter import reporter_key
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.settings import Settings
from hoptrail.indexing.communities.clustering import cluster
from hoptrail.indexing.communities.forecast import forecast_reports, undone
from hoptrail.indexing.communities.model_reports import ReportGuide
from hoptrail.indexing.communities.options import CommunityOptions
from hoptrail.indexing.communities.outcome import (
    CommunitiesReport,
    CommunityForecast,
    CommunitySeconds,
)
from hoptrail.indexing.communities.reporting import ReportStage
from hoptrail.indexing.deriving import derive_graph
from hoptrail.indexing.embedding import embed_missing
from hoptrail.indexing.prices import price_for_limit
from hoptrail.models.chat import ChatModels
from hoptrail.prompts.loader import Prompts
from hoptrail.stores.knowledge_base import KnowledgeBase


class CommunityBuilder:
    """Builds the communities of one knowledge base that is open for writing, with an embedder.

    The stages are: clustering, reports from the finest level to the coarsest, their vectors, a new
    generation for the readers. Whatever a stage did is stored at once, so a run that was killed is
    resumed by running it again, and a run over an unchanged graph changes nothing.

    Source: GraphRAG (source 003), steps 3 and 4.

    Args:
        kb: The knowledge base; its graph is indexed.
        settings: Prices, model settings and folder of prompts.
        models: Chat models; those of the settings where None.
        progress: Observer of the stages.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        settings: Settings | None = None,
        models: ChatModels | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._kb = kb
        self._settings = settings or Settings()
        self._models = models or ChatModels(self._settings)
        self._progress = progress or NoProgress()
        self._seconds: dict[str, float] = {}

    def build(self, options: CommunityOptions | None = None) -> CommunitiesReport:
        """Cluster the graph where it changed, write the missing reports, and publish them.

        Raises:
            CostLimitError: At `max_usd`; all that was paid for is stored, and reports without a
                model stand in for the others.
            ModelUnavailableError: If the model failed many times in a row; the same holds.
            SettingsError: If `max_usd` is given and the model's price is not known.
        """
        chosen = options or CommunityOptions()
        guide = self._guide(chosen)
        self._seconds = {}
        self._finish_indexing()
        with self._timed("cluster"):
            cluster(self._kb, rebuild=chosen.rebuild, seed=chosen.seed, progress=self._progress)
            if chosen.rebuild:
                self._kb.prune_reports()
        with self._timed("report"):
            stage = ReportStage(self._kb, guide, self._progress)
            levels = stage.run()
        self._publish("embed reports")
        if stage.stopped_by is not None:
            raise stage.stopped_by
        return CommunitiesReport(
            levels=levels,
            failed=stage.failed,
            usage=stage.usage,
            seconds=CommunitySeconds(**{k: round(v, 3) for k, v in self._seconds.items()}),
            resumable=bool(stage.failed),
        )

    def forecast(self, options: CommunityOptions | None = None) -> CommunityForecast:
        """Return what `build` would take; nothing of it is stored and no model is called."""
        chosen = options or CommunityOptions()
        guide = self._guide(chosen)
        self._finish_indexing()
        with undone(self._kb):
            cluster(self._kb, rebuild=chosen.rebuild, seed=chosen.seed, progress=self._progress)
            return forecast_reports(self._kb, guide)

    def _finish_indexing(self) -> None:
        """Publish what a run of `index` stored before it was killed: clusters are of its rows."""
        if not self._kb.is_published:
            with self._kb.transaction():
                derive_graph(self._kb, self._progress)
                self._publish("embed graph")

    def _publish(self, stage: str) -> None:
        with self._timed("embed"):
            embed_missing(self._kb, self._kb.embedder, self._progress, stage)
        with self._timed("store"):
            self._progress.start("publish", None)
            self._kb.publish()
            self._progress.finish("publish")

    def _guide(self, options: CommunityOptions) -> ReportGuide | None:
        if options.extractive or self._models.name_of("reporter") is None:
            return None
        model = self._models.for_role("reporter")
        price = price_for_limit(model.name, self._settings.prices, options.max_usd)
        prompts = Prompts(self._settings.prompts_dir)
        key = reporter_key(model.name, options.material_tokens, prompts)
        return ReportGuide(model, key, options, price, prompts)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        begin = perf_counter()
        try:
            yield
        finally:
            self._seconds[stage] = self._seconds.get(stage, 0.0) + perf_counter() - begin
