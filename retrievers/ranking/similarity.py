"""Similarity of all passages and relations to a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from hoptrail.core.embedding import FloatArray
from hoptrail.retrievers.base.snapshot_view import View


@dataclass(frozen=True, slots=True)
class Similarities:
    """Inner products with a question's vector by row of `GraphIndex`; 0 without a vector."""

    chunks: FloatArray
    relations: FloatArray

    @classmethod
    def of(cls, view: View, vector: FloatArray) -> Self:
        """Return the products with one vector, shape (dim,)."""
        return cls(
            view.vectors["chunk"].similarities(vector, view.index.chunk_ids),
            view.vectors["relation"].similarities(vector, view.index.relation_ids),
        )

    @classmethod
    def of_each(cls, view: View, vectors: FloatArray) -> list[Self]:
        """Return those of several vectors, shape (m, dim), from one product per kind."""
        both = cls.of(view, vectors.T)
        return [
            cls(both.chunks[:, column], both.relations[:, column]) for column in range(len(vectors))
        ]
