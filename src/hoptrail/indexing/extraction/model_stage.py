"""Stage two, with a chat model: many passages at once, each result stored when it exists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from hoptrail.agents.extraction import extract, extraction_prompt
from hoptrail.core.budget import Meter
from hoptrail.core.errors import HoptrailError, ModelReplyError, ModelUnavailableError
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Price
from hoptrail.core.types import Chunk, Extraction, NodeUsage
from hoptrail.indexing.extraction.phrases import EXTRACTOR as PHRASES
from hoptrail.indexing.extraction.phrases import FORMER_EXTRACTORS as FORMER_PHRASES
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.spending import PaidCalls, SpendingLimit, estimate_usage
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import Prompts
from hoptrail.stores.knowledge_base import KnowledgeBase

COMPLETION_SHARE = 1.6
"""Completion tokens per token of the passage, as extraction replies run on average."""


@dataclass(frozen=True, slots=True)
class ExtractionGuide:
    """The model of the run, the name its results are stored under, and how it is asked."""

    model: RoleModel
    key: str
    options: IndexOptions
    price: Price | None
    prompts: Prompts


def estimate_call(chunk: Chunk, guide: ExtractionGuide) -> NodeUsage:
    """Return what one extraction will spend, about; dollars are 0 where the price is unknown."""
    messages = extraction_prompt(
        chunk, guide.options.entity_types, guide.options.graph_description, guide.prompts
    )
    return estimate_usage(messages, round(COMPLETION_SHARE * chunk.tokens), guide.price)


class ModelStage:
    """Extracts chunks with the model; what went wrong as a whole is kept in `stopped_by`.

    Each result, or failure, is stored before the same worker sends its next call. A result takes
    the place of what the chunk had from other extractors.

    Args:
        kb: Where results go.
        guide: The model and how it is asked.
        outdated: Extractors whose results a new one replaces.
        spend: Called with the usage of each chunk.
        limit: What the run may take.
        progress: Observer.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        guide: ExtractionGuide,
        outdated: Sequence[str],
        spend: Callable[[NodeUsage], None],
        limit: SpendingLimit,
        progress: Progress,
    ) -> None:
        self._kb = kb
        self._guide = guide
        self._outdated = (PHRASES, *FORMER_PHRASES, *outdated)
        self._spend = spend
        self._calls = PaidCalls(
            "llm",
            self._extract,
            estimate=lambda chunk: estimate_call(chunk, guide).usd,
            concurrency=guide.options.concurrency,
            limit=limit,
            progress=progress,
            go_on="the same command, then hoptrail index --retry-failed for what failed",
        )

    @property
    def stopped_by(self) -> HoptrailError | None:
        """The error that ended the run before all chunks were read, None where none did."""
        return self._calls.stopped_by

    async def run(self, chunks: Sequence[Chunk]) -> None:
        """Extract the chunks, `concurrency` at the same time, until done or stopped."""
        await self._calls.run(chunks)

    async def _extract(self, chunk: Chunk) -> float:
        meter = Meter("extract")
        begin = perf_counter()
        extraction: Extraction | None = None
        reason: str | None = None
        try:
            extraction = await extract(
                chunk,
                self._guide.model,
                meter,
                entity_types=self._guide.options.entity_types,
                graph_description=self._guide.options.graph_description,
                prompts=self._guide.prompts,
            )
        except ModelReplyError as error:
            reason = str(error)
        except ModelUnavailableError as error:
            self._store(chunk, None, meter.spent(perf_counter() - begin), str(error))
            raise
        usage = meter.spent(perf_counter() - begin)
        self._store(chunk, extraction, usage, reason)
        return usage.usd

    def _store(
        self, chunk: Chunk, extraction: Extraction | None, usage: NodeUsage, reason: str | None
    ) -> None:
        with self._kb.transaction():
            self._kb.put_extraction(
                chunk.doc_id, chunk.id, self._guide.key, extraction, usage, reason
            )
            if extraction is not None:
                for extractor in self._outdated:
                    self._kb.drop_extractions(extractor, [chunk.id])
        self._spend(usage)
