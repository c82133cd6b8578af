"""Stage two: which chunk is read by which extractor, so that nothing is read or paid for twice.

A chat model reads many passages at once, and each result is stored when it exists. The core chunks
that it reads are the most central ones of the graph of similar chunks.

Source: Huang et al., "KET-RAG: a cost-efficient multi-granular indexing framework for Graph-RAG",
2025, section 4, the skeleton of core chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.agents.extraction import extract, extraction_prompt, extractor_key
from hoptrail.core.algorithms.pagerank import pagerank
from hoptrail.core.background import run_to_end
from hoptrail.core.budget import Meter
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.errors import HoptrailError, ModelReplyError, ModelUnavailableError
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Price, Settings
from hoptrail.core.text import content_words
from hoptrail.core.types import Chunk, Extraction, NodeUsage
from hoptrail.indexing.extraction.phrases import EXTRACTOR as PHRASES
from hoptrail.indexing.extraction.phrases import FORMER_EXTRACTORS as FORMER_PHRASES
from hoptrail.indexing.extraction.phrases import extract_phrases
from hoptrail.indexing.given_graphs.ms_graphrag.graph import EXTRACTOR as IMPORTED
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.report import PassagesRead, RunLog
from hoptrail.indexing.spending import PaidCalls, SpendingLimit, estimate_usage, price_for_limit
from hoptrail.models.chat import ChatModels, RoleModel
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


_MODEL_PREFIX = "llm:"
_BATCH = 256  # chunks that are read by rules within a transaction

NEIGHBOURS = 2
_BLOCK_CELLS = 4_000_000
_DECIMALS = 5


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
    """Return whether the run's extractor is a chat model.

    A small one on the user's machine takes a minute for a passage: it is asked only by name.
    """
    if options.extractor != "auto" or models is None:
        return options.extractor == "llm"
    return models.configured and not models.is_small("extractor")


def core_chunks(kb: KnowledgeBase, chunks: Collection[Chunk], beta: float) -> set[str]:
    """Return the ids of the `beta` share of the chunks that the model is to read, the central ones.

    They are ranked by their vectors, but only where a part of them is to be chosen.
    """
    if beta in (0, 1):
        return {chunk.id for chunk in chunks} if beta else set()
    ordered = list(chunks)
    vectors = kb.embeddings([chunk.embedded_text for chunk in ordered])
    ids, texts = [chunk.id for chunk in ordered], [chunk.text for chunk in ordered]
    return central_ids(ids, texts, vectors, beta)


def central_ids(
    ids: Sequence[str], texts: Sequence[str], vectors: FloatArray, beta: float
) -> set[str]:
    """Return the ids of the `beta` share of chunks that are most central, whatever their order.

    Args:
        ids: Of the chunks, n of them.
        texts: Their texts.
        vectors: Their unit vectors, shape (n, dim).
        beta: The share, between 0 and 1.
    """
    order = sorted(range(len(ids)), key=lambda place: ids[place])
    rank = rank_chunks(vectors[order], [texts[place] for place in order])
    chosen: list[int] = select_core_chunks(rank, beta).tolist()
    return {ids[order[place]] for place in chosen}


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


def is_model_extractor(name: str) -> bool:
    """Return whether results of a chat model are stored under this name."""
    return name.startswith(_MODEL_PREFIX)


def model_extractors(kb: KnowledgeBase) -> list[str]:
    """Return the names under which results of chat models are stored."""
    return list(filter(is_model_extractor, kb.extractors()))


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
    log.read += PassagesRead(read_by_model, len(for_rules), failed)
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


def rank_chunks(vectors: FloatArray, texts: Sequence[str], *, k: int = NEIGHBOURS) -> FloatArray:
    """Return the PageRank of each chunk in the graph that joins it to its neighbours, shape (n,).

    The neighbours are its `k` most similar chunks and the `k` that share most words with it. Ties
    go to the earlier chunk; similarities count to five decimals. Each chunk is compared with every
    other, a block of rows at a time: time grows with the square of the chunks, which is little
    beside a model's reading of most of them, and memory with their number.

    Args:
        vectors: Unit vectors of the chunks, shape (n, dim).
        texts: The chunks' texts, n of them.
        k: Neighbours of each kind.
    """
    size = len(texts)
    k = min(k, size - 1)
    if k < 1:
        return np.full(size, 1.0 / max(1, size), dtype=np.float32)
    near = [_top(scores, k, start) for start, scores in _similarities(vectors)]
    shared = [_top(scores, k, start) for start, scores in _shared_words(texts)]
    indptr, indices = _symmetric(np.hstack([np.vstack(near), np.vstack(shared)]))
    return pagerank(indptr, indices).astype(np.float32)


def select_core_chunks(rank: FloatArray, beta: float) -> IntArray:
    """Return the places of the `beta` share of chunks with the highest rank, in order of place.

    Ranks count to five decimals of the mean rank; ties go to the earlier chunk. At least one chunk
    is selected where there is any.
    """
    size = len(rank)
    if size == 0 or beta <= 0:
        return np.zeros(0, dtype=np.int32)
    wanted = min(size, max(1, int(size * beta + 1e-9)))
    order = np.lexsort((np.arange(size), -np.round(rank.astype(np.float64) * size, _DECIMALS)))
    return np.sort(order[:wanted]).astype(np.int32)


def _blocks(size: int) -> Iterator[slice]:
    step = max(1, _BLOCK_CELLS // max(1, size))
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


def _similarities(vectors: FloatArray) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield blocks of rows of the similarity matrix in units of 1e-5, with their first row."""
    for rows in _blocks(len(vectors)):
        scores = vectors[rows] @ vectors.T
        yield rows.start, np.rint(scores * 10**_DECIMALS).astype(np.int64)


def _shared_words(texts: Sequence[str]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield blocks of rows of the matrix of shared distinct content words."""
    matrix = _word_matrix(texts)
    transposed = matrix.T.tocsr()
    for rows in _blocks(len(texts)):
        yield rows.start, (matrix[rows] @ transposed).toarray().astype(np.int64)


def _word_matrix(texts: Sequence[str]) -> Any:
    from scipy.sparse import csr_matrix

    numbers: dict[str, int] = {}
    indptr, indices = [0], list[int]()
    for text in texts:
        distinct = dict.fromkeys(word for word in content_words(text) if word.isalpha())
        indices.extend(numbers.setdefault(word, len(numbers)) for word in distinct)
        indptr.append(len(indices))
    data = np.ones(len(indices), dtype=np.int32)
    return csr_matrix((data, indices, indptr), shape=(len(texts), max(1, len(numbers))))


def _top(scores: NDArray[np.int64], k: int, first_row: int) -> IntArray:
    """Return the columns of the `k` highest scores of each row, the row's own place left out.

    A key holds score and place in one number, so that equal scores are told apart by place.
    """
    rows, size = scores.shape
    keys = scores * size + np.arange(size - 1, -1, -1)
    keys[np.arange(rows), np.arange(first_row, first_row + rows)] = np.iinfo(np.int64).min
    return np.argpartition(keys, size - k, axis=1)[:, size - k :].astype(np.int32)


def _symmetric(targets: IntArray) -> tuple[IntArray, IntArray]:
    """Return the undirected graph of the links from each row to its targets, in CSR form."""
    size, degree = targets.shape
    sources = np.repeat(np.arange(size, dtype=np.int64), degree)
    ends = targets.ravel().astype(np.int64)
    places = np.unique(np.concatenate([sources * size + ends, ends * size + sources]))
    rows, columns = places // size, (places % size).astype(np.int32)
    return np.searchsorted(rows, np.arange(size + 1)).astype(np.int32), columns
