"""The graph as arrays, for path finding, PageRank and the retrievers.

All numbers are int32 and all weights float32: half the memory of the default, and a graph of two
thousand million relations is out of reach anyway. Neighbours are CSR matrices, in which a row is
one contiguous slice, so that a walk touches a few pages of a mapped file; each is stored in both
directions, for the transpose of a mapped matrix would have to be computed in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.core.algorithms.incidence import Incidence
from hoptrail.core.embedding import FloatArray, IdArray, IntArray


@dataclass(frozen=True, slots=True)
class Csr:
    """Rows of column numbers: row i is `indices[indptr[i]:indptr[i + 1]]`; data runs beside."""

    indptr: IntArray
    indices: IntArray
    data: FloatArray | None = None

    def row(self, i: int) -> IntArray:
        """Return the columns of row `i`."""
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    def weights(self, i: int) -> FloatArray:
        """Return the data of row `i` (ones where the matrix carries none)."""
        start, end = self.indptr[i], self.indptr[i + 1]
        if self.data is None:
            return np.ones(end - start, dtype=np.float32)
        return self.data[start:end]

    def counts(self, rows: IntArray) -> IntArray:
        """Return the number of columns of each of these rows."""
        counts: IntArray = self.indptr[rows + 1] - self.indptr[rows]
        return counts

    def gather(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Return `(positions, columns)` of several rows at once.

        `positions[j]` is the place in `rows` that `columns[j]` belongs to.
        """
        starts = self.indptr[rows]
        counts = self.indptr[rows + 1] - starts
        positions = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
        first = (starts + counts - np.cumsum(counts))[positions]
        columns = self.indices[first + np.arange(len(positions))]
        return positions, columns


@dataclass(frozen=True, slots=True)
class GraphIndex:
    """One generation of the knowledge base as arrays; ids are sorted, a row is a place in them.

    `predicates` are the distinct ones in order, `relation_predicate` the place of each relation's
    in them. `entity_relations` lists the relations incident to an entity (either end).
    """

    generation: int
    doc_ids: IdArray
    chunk_ids: IdArray
    chunk_doc: IntArray
    chunk_tokens: IntArray
    entity_ids: IdArray
    relation_ids: IdArray
    predicates: IdArray
    relation_source: IntArray
    relation_target: IntArray
    relation_predicate: IntArray
    relation_weight: FloatArray
    entity_relations: Csr
    entity_chunks: Csr
    chunk_entities: Csr
    relation_chunks: Csr
    chunk_relations: Csr

    @property
    def graph(self) -> Incidence:
        """The entities and relations as an undirected graph, rows as numbers."""
        incident = self.entity_relations
        return Incidence(
            self.relation_source, self.relation_target, incident.indptr, incident.indices
        )

    def entity_rows(self, ids: Sequence[str] | IdArray) -> IntArray:
        """Return the rows of these entity ids; -1 where unknown."""
        return rows_of(self.entity_ids, ids)

    def relation_rows(self, ids: Sequence[str] | IdArray) -> IntArray:
        """Return the rows of these relation ids; -1 where unknown."""
        return rows_of(self.relation_ids, ids)


def rows_of(sorted_ids: IdArray, ids: Sequence[str] | IdArray) -> IntArray:
    """Return each id's place in `sorted_ids`, -1 where it is not there."""
    wanted = np.asarray(ids)
    if len(sorted_ids) == 0 or len(wanted) == 0:
        return np.full(len(wanted), -1, dtype=np.int32)
    # Longer ids would make NumPy copy all the sorted ones to their width.
    places = np.searchsorted(sorted_ids, wanted.astype(sorted_ids.dtype))
    places = np.minimum(places, len(sorted_ids) - 1)
    found = sorted_ids[places] == wanted
    return np.where(found, places, -1).astype(np.int32)
