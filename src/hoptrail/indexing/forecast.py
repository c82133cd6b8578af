"""Forecast of an indexing run, before any money is spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.settings import Price
from hoptrail.core.types import Chunk, NodeUsage, Record
from hoptrail.indexing.embedding import (
    EmbeddingForecast,
    forecast_embedding,
    texts_of,
)
from hoptrail.indexing.extraction.stage import ExtractionGuide, estimate_call, pending_for_model
from hoptrail.indexing.file_run import FileRun
from hoptrail.indexing.given_graphs.ms_graphrag.importing import place_folder, split_inputs
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.documents import Source, load_documents
from hoptrail.indexing.loading.files import LeftOut, Skipped
from hoptrail.indexing.loading.scans.reading import Scans
from hoptrail.indexing.options import IndexOptions
from hoptrail.stores.knowledge_base import KnowledgeBase

_SECONDS_PER_CALL = 0.5
_SECONDS_PER_EMBEDDED_TOKEN = 0.0002
_EMBEDDED_SHARE = 2.5


@dataclass(frozen=True, slots=True)
class Forecast(Record):
    """Estimates: chunks to be read, model calls, their tokens, dollars and minutes.

    `scanned_pages` are pictures that are to be recognised first: the minutes count them, chunks and
    tokens of their texts are reckoned by the length of a usual page.
    `chunks` are new ones, and those that an interrupted run stored and left without a vector.
    `usd` is of the model and of a remote embedder together: None where the price of one of them is
    not known, 0 where neither is called.
    """

    chunks: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    minutes: float
    skipped: tuple[Skipped, ...] = ()
    embedding: EmbeddingForecast = field(default_factory=EmbeddingForecast)
    scanned_pages: int = 0


def forecast_index(
    inputs: Sequence[Source],
    options: IndexOptions,
    guide: ExtractionGuide | None,
    kb: KnowledgeBase,
    *,
    remote_embedder: str | None,
    prices: Mapping[str, Price],
) -> Forecast:
    """Return what indexing the inputs would take; nothing is stored and no model is called.

    Args:
        inputs: As for `Indexer.index`; without any, the documents that `kb` holds.
        options: As for `Indexer.index`.
        guide: How the model is asked; None where the extractor is no model.
        kb: The knowledge base that they would be indexed into.
        remote_embedder: Name of the embedder where it is one that is called.
        prices: Those of the settings.
    """
    folders, others = split_inputs(inputs)
    imported, unusable = _imported_chunks(folders, options.source)
    scans = Scans(options.ocr, shelf=kb, max_pages=options.ocr_pages, is_forecast=True)
    stored = list(kb.iter_chunks())
    chunks, skipped = _chunks_of(others, options, kb, scans) if inputs else (stored, ())
    known = {chunk.id for chunk in stored}
    new = [chunk for chunk in (*chunks, *imported) if chunk.id not in known]
    return forecast_chunks(
        chunks,
        new,
        options,
        guide,
        kb,
        (*unusable, *skipped),
        left=left_without_vectors(kb),
        remote_embedder=remote_embedder,
        prices=prices,
        lacking=kb.texts_without_vectors() if remote_embedder else (),
        scans=scans,
    )


def forecast_chunks(
    chunks: Sequence[Chunk],
    new: Sequence[Chunk],
    options: IndexOptions,
    guide: ExtractionGuide | None,
    kb: KnowledgeBase,
    skipped: tuple[Skipped, ...] = (),
    *,
    left: Sequence[Chunk],
    remote_embedder: str | None,
    prices: Mapping[str, Price],
    lacking: Iterable[str],
    scans: Scans,
) -> Forecast:
    """Return what it would take to read chunks and to embed those that are new.

    Args:
        chunks: All of the run.
        new: Those that the base does not hold yet.
        options: As for `Indexer.index`.
        guide: How the model is asked; None where the extractor is no model.
        kb: The knowledge base.
        skipped: What the run leaves out.
        left: Those that the base holds and that an earlier run left without vectors.
        remote_embedder: Name of the embedder where it is one that is called.
        prices: Those of the settings.
        lacking: Texts of the base that an earlier run left without vectors.
        scans: Has counted the pictures that are to be recognised.
    """
    spent = NodeUsage() if guide is None else _model_usage(chunks, guide, kb)
    is_priced = guide is None or guide.price is not None or spent.llm_calls == 0
    embedding = EmbeddingForecast()
    if remote_embedder is not None:
        read = [] if options.extractor == "none" else (*new, *left)
        embedding = forecast_embedding(
            chain(texts_of(new), lacking),
            remote_embedder,
            prices,
            graph_tokens=sum(chunk.tokens for chunk in read),
        )
    usd = spent.usd + embedding.usd if is_priced and embedding.usd is not None else None
    seconds = _embedding_seconds((*new, *left), embedding) + scans.seconds()
    if guide is not None:
        seconds += guide.model.calling_seconds(spent, options.concurrency)
    return Forecast(
        chunks=len(new) + len(left),
        calls=spent.llm_calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        usd=None if usd is None else round(usd, 8),
        minutes=round(seconds / 60, 2),
        skipped=skipped,
        embedding=embedding,
        scanned_pages=scans.counted,
    )


def left_without_vectors(kb: KnowledgeBase) -> list[Chunk]:
    """Return the chunks that an interrupted run stored and did not come to embed."""
    lacking = set(kb.texts_without_vectors(read=False))
    return [chunk for chunk in kb.iter_chunks() if chunk.embedded_text in lacking]


def _imported_chunks(
    folders: Sequence[Path], source: str | None
) -> tuple[list[Chunk], list[Skipped]]:
    """Return the chunks of index folders, which come with their graph."""
    chunks: list[Chunk] = []
    skipped: list[Skipped] = []
    for folder in folders:
        try:
            _, texts = place_folder(folder, source)
        except InputError as error:
            skipped.append(Skipped(str(folder), error.message))
        else:
            chunks += (chunk for text in texts for chunk in text.chunks)
    return chunks, skipped


def _chunks_of(
    inputs: Sequence[Source], options: IndexOptions, kb: KnowledgeBase, scans: Scans
) -> tuple[list[Chunk], tuple[Skipped, ...]]:
    """Return the chunks of the inputs as the base knows them, and what had to be skipped."""
    chunks: list[Chunk] = []
    skipped: list[Skipped] = []
    files = FileRun(kb, options)
    loaded = load_documents(
        inputs,
        source=options.source,
        code=options.code,
        private_addresses=options.private_addresses,
        names=files.names,
        left_out=LeftOut(ignore=options.ignore),
        scans=scans,
    )
    for item in loaded:
        if isinstance(item, Skipped):
            skipped.append(item)
            continue
        former = files.former.find(item)
        known = replace(item, id=former) if former is not None else item
        chunks.extend(chunk_document(known, options.chunk_tokens))
    return chunks, tuple(skipped)


def _model_usage(chunks: Sequence[Chunk], guide: ExtractionGuide, kb: KnowledgeBase) -> NodeUsage:
    """Return the usage of the chunks still to be read.

    The central ones are known only once their vectors are, so an even sample stands for them.
    """
    pending = pending_for_model(kb, chunks, guide)
    wanted = min(len(pending), max(1, int(len(chunks) * guide.options.beta + 1e-9)))
    wanted = wanted if guide.options.beta > 0 else 0
    spent = NodeUsage()
    for place in range(wanted):
        spent += estimate_call(pending[place * len(pending) // wanted], guide)
    return spent


def _embedding_seconds(new: Sequence[Chunk], embedding: EmbeddingForecast) -> float:
    if embedding.calls:
        return embedding.calls * _SECONDS_PER_CALL
    return _EMBEDDED_SHARE * sum(chunk.tokens for chunk in new) * _SECONDS_PER_EMBEDDED_TOKEN
