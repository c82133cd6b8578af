"""Stage two: which chunk is read by which extractor, so that nothing is read or paid for twice."""

from __future__ import annotations

from collections.abc import Collection

from hoptrail.agents.extraction.extractor import extractor_key
from hoptrail.core.background import run_to_end
from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import HoptrailError
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Settings
from hoptrail.core.types import Chunk
from hoptrail.indexing.chunk_graph import select_skeleton
from hoptrail.indexing.model_stage import ExtractionGuide, ModelStage
from hoptrail.indexing.ms_graphrag.graph import EXTRACTOR as IMPORTED
from hoptrail.indexing.nlp_extraction import EXTRACTOR as PHRASES
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.phrase_stage import run_phrase_stage
from hoptrail.indexing.prices import price_for_limit
from hoptrail.indexing.report import RunLog
from hoptrail.models.chat import ChatModels
from hoptrail.prompts.loader import Prompts
from hoptrail.stores.knowledge_base import KnowledgeBase

_MODEL_PREFIX = "llm:"


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


def skeleton_of(chunks: Collection[Chunk], rank: FloatArray, beta: float) -> set[str]:
    """Return the ids of the chunks that the model is to read; `rank` in the order of chunk ids."""
    ids = sorted(chunk.id for chunk in chunks)
    return {ids[place] for place in select_skeleton(rank, beta)}


def pending_for_model(
    kb: KnowledgeBase, chunks: Collection[Chunk], guide: ExtractionGuide
) -> list[Chunk]:
    """Return the chunks that the model has not read yet, failed ones only if they are retried.

    What was imported with its graph is not read again.
    """
    status = {**kb.extraction_status(guide.key), **kb.extraction_status(IMPORTED)}
    settled = {"done"} if guide.options.retry_failed else {"done", "failed"}
    return [chunk for chunk in chunks if status.get(chunk.id) not in settled]


def pending_for_phrases(kb: KnowledgeBase, chunks: Collection[Chunk]) -> list[Chunk]:
    """Return the chunks without a graph: neither read by a model or for phrases, nor imported."""
    done: set[str] = set()
    for extractor in (PHRASES, IMPORTED, *model_extractors(kb)):
        status = kb.extraction_status(extractor)
        done.update(chunk_id for chunk_id, state in status.items() if state == "done")
    return [chunk for chunk in chunks if chunk.id not in done]


def model_extractors(kb: KnowledgeBase) -> list[str]:
    """Return the names under which results of chat models are stored."""
    names = [str(row["name"]) for row in kb.info()["extractors"]]
    return [name for name in names if name.startswith(_MODEL_PREFIX)]


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
    if guide is not None:
        chosen = [chunk for chunk in chunks if chunk.id in for_model]
        pending = pending_for_model(kb, chosen, guide)
        outdated = [name for name in model_extractors(kb) if name != guide.key]
        stage = ModelStage(kb, guide, outdated, log.spend, progress)
        if pending:
            run_to_end(stage.run(pending))
        stopped_by = stage.stopped_by
    run_phrase_stage(kb, pending_for_phrases(kb, chunks), progress)
    return stopped_by
