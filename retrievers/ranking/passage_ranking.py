"""From scored chunk rows to ranked passages under a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.types import Chunk, Hit
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.stores.snapshot.graph_index import GraphIndex

_TOKENS_AROUND_A_PASSAGE = 18  # label, title and delimiters as `core.render` writes them
_DECIMALS = 5


def ranked_rows(scores: FloatArray, rows: IntArray | None = None) -> IntArray:
    """Return the rows best first; scores equal to 1e-5 are ordered by row.

    Args:
        scores: One per given row.
        rows: The rows that are scored; all of them, from 0, where None.
    """
    numbers = np.arange(len(scores), dtype=np.int32) if rows is None else rows
    return numbers[np.lexsort((numbers, -np.round(scores, _DECIMALS)))]


def passages_tokens(index: GraphIndex, rows: IntArray) -> int:
    """Return the tokens that these passages take when rendered."""
    return int((index.chunk_tokens[rows] + _TOKENS_AROUND_A_PASSAGE).sum())


def fill_budget(index: GraphIndex, rows: IntArray, budget: int, *, at_least: int = 0) -> IntArray:
    """Return the first rows whose passages fit the budget together, but never fewer than asked."""
    tokens = np.cumsum(index.chunk_tokens[rows] + _TOKENS_AROUND_A_PASSAGE)
    fitting = int(np.searchsorted(tokens, budget, side="right"))
    return rows[: max(fitting, at_least)]


def load_passages(
    view: View,
    rows: IntArray,
    scores: FloatArray,
    *,
    channel: str | Sequence[str],
    provenance: Sequence[tuple[str, ...]] | None = None,
    loaded: Mapping[str, Chunk] | None = None,
) -> tuple[Hit[Chunk], ...]:
    """Return the chunks of these rows as hits in order; channel and provenance run beside rows.

    `loaded` are chunks by id that need not be read again.
    """
    ids = [str(id_) for id_ in view.index.chunk_ids[rows]]
    channels = [channel] * len(ids) if isinstance(channel, str) else channel
    reasons = [()] * len(ids) if provenance is None else provenance
    found = dict(loaded or {})
    found |= {chunk.id: chunk for chunk in view.store.chunks([i for i in ids if i not in found])}
    return tuple(
        Hit(found[id_], round(float(score), _DECIMALS), name, None, reason)
        for id_, score, name, reason in zip(ids, scores, channels, reasons, strict=True)
        if id_ in found
    )


@dataclass(frozen=True, slots=True)
class Similarities:
    """Inner products with a question's vector by row of `GraphIndex`; 0 without a vector."""

    chunks: FloatArray
    relations: FloatArray

    @classmethod
    def of(cls, view: View, vector: FloatArray) -> Self:
        """Return the products with one vector, shape (dim,)."""
        return cls(
            chunk_similarities(view, vector),
            view.vectors["relation"].similarities(vector, view.index.relation_ids),
        )

    @classmethod
    def of_each(cls, view: View, vectors: FloatArray) -> list[Self]:
        """Return those of several vectors, shape (m, dim), from one product per kind."""
        both = cls.of(view, vectors.T)
        return [
            cls(both.chunks[:, column], both.relations[:, column]) for column in range(len(vectors))
        ]


def chunk_similarities(view: View, vector: FloatArray) -> FloatArray:
    """Return the similarity of every chunk to the question, shape (chunks,)."""
    return view.vectors["chunk"].similarities(vector, view.index.chunk_ids)
