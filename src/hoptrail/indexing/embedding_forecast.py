"""Forecast of what the vectors of a run take, where a remote embedder makes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hoptrail.core.settings import Price
from hoptrail.core.text import sentences
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Chunk, Record
from hoptrail.models.prices import known_price
from hoptrail.models.remote_embedder import MOST_TEXTS, MOST_TOKENS
from hoptrail.stores.knowledge_base import KnowledgeBase

GRAPH_SHARE = 0.95
"""Tokens of the texts of entities and relations, per token of the passages they come from."""
_TOKENS_PER_GRAPH_TEXT = 11
_BATCH = 4096


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
    while batch := list(islice(remaining, _BATCH)):
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
