"""Stage two: which chunk is read by which extractor, so that nothing is read or paid for twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hoptrail.agents.extraction.extractor import extractor_key
from hoptrail.core.background import run_to_end
from hoptrail.core.errors import HoptrailError
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Settings
from hoptrail.core.types import Chunk, NodeUsage
from hoptrail.indexing.extraction.core_chunks import rank_chunks, select_core_chunks
from hoptrail.indexing.extraction.model_stage import ExtractionGuide, ModelStage
from hoptrail.indexing.extraction.phrases import EXTRACTOR as PHRASES
from hoptrail.indexing.extraction.phrases import FORMER_EXTRACTORS as FORMER_PHRASES
from hoptrail.indexing.extraction.phrases import extract_phrases
from hoptrail.indexing.model_calls.prices import price_for_limit
from hoptrail.indexing.ms_graphrag.graph import EXTRACTOR as IMPORTED
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.report import PassagesRead, RunLog
from hoptrail.models.chat import ChatModels
from hoptrail.prompts.loader import Prompts
from hoptrail.stores.knowledge_base import KnowledgeBase

_MODEL_PREFIX = "llm:"
_BATCH = 256  # chunks that are read by rules within a transaction


def make_guide(models: ChatModels, options: IndexOptions, settings: Settings) -> ExtractionGuide:
    """Return how the model is asked in this run.

    Raises:
        ModelNotConfiguredError: If there is no model.
        SettingsError: If `max_usd` is given and the model's price is not known.
    """
    model = models.for_role("extractor")
    price = price_for_limit(model.name, settings.prices, options.max_usd)
    prompts = Prompts(settings.prompts_dir)
    key = extractor_key(model.name, options.entity_types, options.graph_description, prompts)
    return ExtractionGuide(model, key, options, price, prompts)


def uses_model(options: IndexOptions, models: ChatModels | None) -> bool:
    """Return whether the run's extractor is a chat model."""
    configured = models is not None and models.configured
    return options.extractor == "llm" or (options.extractor == "auto" and configured)


def core_chunks(kb: KnowledgeBase, chunks: Collection[Chunk], beta: float) -> set[str]:
    """Return the ids of the `beta` share of the chunks that the model is to read, the central ones.

    They are ranked by their vectors, but only where a part of them is to be chosen.
    """
    if beta in (0, 1):
        return {chunk.id for chunk in chunks} if beta else set()
    ordered = sorted(chunks, key=lambda chunk: chunk.id)
    vectors = kb.embeddings([chunk.embedded_text for chunk in ordered])
    rank = rank_chunks(vectors, [chunk.text for chunk in ordered])
    return {ordered[place].id for place in select_core_chunks(rank, beta)}


def pending_for_model(
    kb: KnowledgeBase, chunks: Collection[Chunk], guide: ExtractionGuide
) -> list[Chunk]:
    """Return the chunks that the model has not read yet, failed ones only if they are retried.

    What was imported with its graph is not read again.
    """
    ids = [chunk.id for chunk in chunks]
    status = {**kb.extraction_status(guide.key, ids), **kb.extraction_status(IMPORTED, ids)}
    settled = {"done"} if guide.options.retry_failed else {"done", "failed"}
    return [chunk for chunk in chunks if status.get(chunk.id) not in settled]


def pending_for_phrases(kb: KnowledgeBase, chunks: Collection[Chunk]) -> list[Chunk]:
    """Return the chunks without a graph: neither read by a model or for phrases, nor imported."""
    done: set[str] = set()
    ids = [chunk.id for chunk in chunks]
    for extractor in (PHRASES, *FORMER_PHRASES, IMPORTED, *model_extractors(kb)):
        status = kb.extraction_status(extractor, ids)
        done.update(chunk_id for chunk_id, state in status.items() if state == "done")
    return [chunk for chunk in chunks if chunk.id not in done]


def model_extractors(kb: KnowledgeBase) -> list[str]:
    """Return the names under which results of chat models are stored."""
    return [name for name in kb.extractors() if name.startswith(_MODEL_PREFIX)]


def extract_chunks(
    kb: KnowledgeBase,
    chunks: Collection[Chunk],
    for_model: Collection[str],
    guide: ExtractionGuide | None,
    log: RunLog,
    progress: Progress,
) -> HoptrailError | None:
    """Read the chunks `for_model` with the model, all that are then still unread without.

    Returns:
        What stopped the model before it was done, None where nothing did.
    """
    stopped_by: HoptrailError | None = None
    read_by_model = failed = 0
    if guide is not None:
        chosen = [chunk for chunk in chunks if chunk.id in for_model]
        pending = pending_for_model(kb, chosen, guide)
        outdated = [name for name in model_extractors(kb) if name != guide.key]
        stage = ModelStage(kb, guide, outdated, log.spend, log.limit, progress)
        if pending:
            run_to_end(stage.run(pending))
        stopped_by = stage.stopped_by
        status = kb.extraction_status(guide.key, [chunk.id for chunk in pending])
        read_by_model = list(status.values()).count("done")
        failed = list(status.values()).count("failed")
    for_rules = pending_for_phrases(kb, chunks)
    read_phrases(kb, for_rules, progress)
    log.read = PassagesRead(read_by_model, len(for_rules), failed)
    return stopped_by


def read_phrases(kb: KnowledgeBase, chunks: Sequence[Chunk], progress: Progress) -> None:
    """Extract the phrases of the chunks, some chunks per transaction."""
    progress.start("nlp", len(chunks))
    for start in range(0, len(chunks), _BATCH):
        batch = chunks[start : start + _BATCH]
        with kb.transaction():
            for chunk in batch:
                extraction = extract_phrases(chunk)
                kb.put_extraction(chunk.doc_id, chunk.id, PHRASES, extraction, NodeUsage())
        progress.advance("nlp", len(batch))
    progress.finish("nlp")
