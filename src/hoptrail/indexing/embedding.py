"""The vectors of a knowledge base: making those that lack, what they cost and are to cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic

import numpy as np

from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.embedding import Embedder, RemoteEmbedder, embed_each, static_of
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Price
from hoptrail.core.text import sentences
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Chunk, Record, Usage
from hoptrail.indexing.spending import SpendingLimit
from hoptrail.models.prices import known_price
from hoptrail.models.remote_embedder import MOST_TEXTS, MOST_TOKENS
from hoptrail.stores.knowledge_base import KnowledgeBase

_BATCH = 512
_LOCAL_BYTES = 1 << 25  # of vectors: the more are stored at once, the less is written in all
_FIRST = 64  # how long texts take is not known yet
_LEAST = 8
_SECONDS = 10.0
GRAPH_SHARE = 0.95
"""Tokens of the texts of entities and relations, per token of the passages they come from."""
_TOKENS_PER_GRAPH_TEXT = 11
_LOOKED_UP = 4096


@dataclass(frozen=True)
class EmbeddingAccount:
    """Holds vectors to the limit of their run.

    Attributes:
        price: Of the embedder, None where it costs nothing or its price is not known.
        limit: What the run may spend.
        meter: Account of the calls.
    """

    price: Price | None = None
    limit: SpendingLimit = field(default_factory=lambda: SpendingLimit(None))
    meter: Meter = field(default_factory=lambda: Meter("embed"))

    @contextmanager
    def paying_for(self, texts: Sequence[str]) -> Iterator[None]:
        """Book the calls within, which embed these texts.

        Raises:
            CostLimitError: If they could pass the limit; nothing within is done then.
        """
        if self.price is not None:
            self.limit.check(self.price.usd(sum(map(estimate_tokens, texts))))
        before = self.meter.usage.usd
        try:
            with booking_to(self.meter):
                yield
        finally:
            self.limit.spend(self.meter.usage.usd - before)

    def added_to(self, usage: Usage) -> Usage:
        """Return a usage that also counts the calls, where there were any."""
        spent = self.meter.usage
        return usage.add(self.meter.node, spent) if spent.embedding_calls else usage


def embed_missing(
    kb: KnowledgeBase,
    embedder: Embedder,
    progress: Progress,
    stage: str,
    texts: Sequence[str] | None = None,
    *,
    account: EmbeddingAccount | None = None,
) -> None:
    """Embed the texts that have no vector yet; they are stored about every ten seconds.

    Texts of similar length share a batch, so that little is padded. What a remote embedder sends is
    stored as it comes: it is paid for. What is left to a static model is left out.

    Args:
        kb: Where the vectors go.
        embedder: Makes them.
        progress: Observer.
        stage: Its name for this work.
        texts: The texts, where the caller knows them; else those of the present tables.
        account: What a remote embedder costs and may cost.

    Raises:
        CostLimitError: If the next texts could pass the limit; the vectors so far are stored.
    """
    account = account or EmbeddingAccount()
    missing = lacking_vectors(kb, embedder) if texts is None else texts
    texts = sorted(missing, key=lambda text: (-len(text), text))
    progress.start(stage, len(texts))
    is_local = account.price is None and not isinstance(embedder, RemoteEmbedder)
    most = _local_batch(embedder) if is_local else _BATCH
    start = 0
    size = _FIRST
    while batch := texts[start : start + size]:
        begin = monotonic()
        with account.paying_for(batch):
            for places, vectors in embed_each(embedder, batch):
                kb.put_embeddings([batch[place] for place in places], vectors)
                progress.advance(stage, len(places))
        start += size
        seconds = max(monotonic() - begin, 1e-6)
        # A kill must not cost more than that, on a slow machine either.
        size = max(_LEAST, min(most, int(size * _SECONDS / seconds)))
    progress.finish(stage)


def lacking_vectors(kb: KnowledgeBase, embedder: Embedder) -> list[str]:
    """Return the texts without a vector that the embedder itself is to embed.

    What was read in passages is left to its static model, where it has one; that embeds when all
    is published, and nothing of it is stored.
    """
    return kb.texts_without_vectors(read=static_of(embedder) is None)


def _local_batch(embedder: Embedder) -> int:
    """Return how many texts are embedded at once at most, where that takes no time to speak of."""
    return max(_BATCH, _LOCAL_BYTES // (4 * embedder.dim))


@dataclass(frozen=True, slots=True)
class EmbeddingForecast(Record):
    """Estimates: texts, calls, their tokens and dollars.

    `usd` is None where the embedder's price is not known, 0 where nothing is sent.
    """

    texts: int = 0
    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0


def forecast_embedding(
    texts: Iterable[str],
    embedder: str,
    prices: Mapping[str, Price],
    *,
    graph_tokens: int = 0,
) -> EmbeddingForecast:
    """Return what it takes to embed texts; nothing is sent.

    Args:
        texts: Those that are known; equal ones are embedded once.
        embedder: Name of a remote embedder.
        prices: Those of the settings.
        graph_tokens: Tokens of the passages whose entities and relations are not known yet.
    """
    known = dict.fromkeys(texts)
    later = round(GRAPH_SHARE * graph_tokens)
    tokens = sum(map(estimate_tokens, known)) + later
    number = len(known) + later // _TOKENS_PER_GRAPH_TEXT
    if number == 0:
        return EmbeddingForecast()
    price = known_price(embedder, prices)
    return EmbeddingForecast(
        texts=number,
        calls=math.ceil(max(number / MOST_TEXTS, tokens / MOST_TOKENS)),
        tokens=tokens,
        usd=round(price.usd(tokens), 8) if price else None,
    )


def without_vectors(kb: KnowledgeBase, texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts that a base holds no vector of, such as those of a copy of it."""
    remaining = iter(texts)
    while batch := list(islice(remaining, _LOOKED_UP)):
        if kb.newest_generation == 0:
            yield from batch
        else:
            lacking = np.flatnonzero(~kb.embeddings(batch).any(axis=1))
            yield from (batch[place] for place in lacking.tolist())


def texts_of(chunks: Sequence[Chunk]) -> Iterable[str]:
    """Yield the texts of passages that get a vector: the passages and their sentences."""
    for chunk in chunks:
        yield chunk.embedded_text
        yield from sentences(chunk.text)
