"""The graph and the hierarchy of its communities as arrays, for path finding and the retrievers.

All numbers are int32 and all weights float32: half the memory of the default, and a graph of two
thousand million relations is out of reach anyway. Neighbours are CSR matrices, in which a row is
one contiguous slice, so that a walk touches a few pages of a mapped file; each is stored in both
directions, for the transpose of a mapped matrix would have to be computed in memory. Where ids come
and go, a `RowMap` tells where each row goes, and what follows it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.incidence import Incidence
from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.records.community_table import own_members, own_members_with, structure
from hoptrail.stores.snapshot.arrays import Arrays

_FEW = 2048  # values that are put between runs of others


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


def csr_arrays(name: str, matrix: Csr) -> dict[str, NDArray[Any]]:
    """Return a sparse matrix as named arrays; `load_csr` puts it together again."""
    arrays: dict[str, NDArray[Any]] = {
        f"{name}.indptr": matrix.indptr,
        f"{name}.indices": matrix.indices,
    }
    if matrix.data is not None:
        arrays[f"{name}.data"] = matrix.data
    return arrays


def load_csr(arrays: Arrays, name: str) -> Csr:
    """Return the sparse matrix that `csr_arrays` took apart."""
    return Csr(arrays[f"{name}.indptr"], arrays[f"{name}.indices"], arrays.get(f"{name}.data"))


def csr_from_pairs(rows: IntArray, columns: IntArray, n_rows: int) -> Csr:
    """Return the matrix with these entries; columns ascend in each row, repetitions are dropped.

    Pairs with a negative row or column are left out.
    """
    valid = (rows >= 0) & (columns >= 0)
    rows, columns = rows[valid], columns[valid]
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    counts = np.bincount(rows[first], minlength=n_rows)
    return Csr(
        np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        columns[first].astype(np.int32),
    )


def transposed(matrix: Csr, n_columns: int) -> Csr:
    """Return the transpose of a matrix without data."""
    return csr_from_pairs(matrix.indices, row_numbers(matrix), n_columns)


def row_numbers(matrix: Csr) -> IntArray:
    """Return the row of each entry, shape (entries,)."""
    counts = np.diff(matrix.indptr)
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def id_array(ids: Iterable[str]) -> IdArray:
    """Return strings as an array that NumPy can sort and map, even if there is none."""
    array = np.array(list(ids), dtype=np.str_)
    return array if len(array) else np.zeros(0, dtype="<U1")


@dataclass(frozen=True)
class RowMap:
    """From the rows of sorted ids to those of later ones.

    Attributes:
        ids: The later ids, sorted, shape (n,).
        of_old: The later row of each earlier one, shape (m,), -1 where its id is gone; ascending
            but for those.
        put: The later rows whose items are new or differ, ascending.
    """

    ids: IdArray
    of_old: IntArray
    put: IntArray

    @classmethod
    def of(cls, ids: IdArray, put: Iterable[str], gone: Iterable[str] = ()) -> RowMap:
        """Return the map from sorted ids to those with others put and some gone.

        Args:
            ids: The earlier ids.
            put: Ids that are new, or whose items differ.
            gone: Ids that are there no more, unless they are put.
        """
        wanted = np.unique(id_array(put))
        leaves, differs = rows_of(ids, id_array(gone)), rows_of(ids, wanted)
        stays = np.ones(len(ids), dtype=np.bool_)
        stays[leaves[leaves >= 0]] = False
        stays[differs[differs >= 0]] = True
        kept = ids if stays.all() else ids[stays]
        new = wanted[rows_of(kept, wanted) < 0]
        width = np.result_type(kept.dtype, new.dtype)
        wide = kept.astype(width, copy=False)
        places = np.searchsorted(wide, new.astype(width))
        joined = inserted(wide, places, new)
        shift = np.cumsum(np.bincount(places, minlength=len(kept) + 1))[: len(kept)]
        of_old = np.full(len(ids), -1, dtype=np.int32)
        of_old[stays] = np.arange(len(kept)) + shift
        return cls(joined, of_old, rows_of(joined, wanted))

    def moved(self, rows: IntArray) -> IntArray:
        """Return the later rows of earlier ones; -1 for -1."""
        if self._moves_none:
            return rows
        return np.append(self.of_old, np.int32(-1))[rows]

    def spread(self, values: NDArray[Any], fill: Any = 0) -> NDArray[Any]:
        """Return a value for each later row: that of the earlier one, or `fill` where it is new."""
        stays = self.of_old >= 0
        kept = values if stays.all() else values[stays]
        later = np.empty(len(self.ids), dtype=values.dtype)
        later[self._is_new] = fill
        later[~self._is_new] = kept
        return later

    @cached_property
    def _moves_none(self) -> bool:
        return bool((self.of_old == np.arange(len(self.of_old))).all())

    @cached_property
    def _is_new(self) -> NDArray[np.bool_]:
        """Whether each later row is that of no earlier one, shape (n,)."""
        marks = np.ones(len(self.ids), dtype=np.bool_)
        marks[self.of_old[self.of_old >= 0]] = False
        return marks

    @cached_property
    def is_put(self) -> NDArray[np.bool_]:
        """Whether each later row's item is new or differs, shape (n + 1,); the last is for -1."""
        marks = np.zeros(len(self.ids) + 1, dtype=np.bool_)
        marks[self.put] = True
        return marks


def joined_pairs(
    matrix: Csr,
    rows: RowMap,
    columns: RowMap,
    new: tuple[IntArray, IntArray],
    data: FloatArray | None = None,
    *,
    stale_rows: bool = False,
    stale_columns: bool = False,
) -> Csr:
    """Return a sparse matrix with its rows and columns moved and pairs added.

    Args:
        matrix: The earlier one; its columns ascend in each row.
        rows: Where its rows go.
        columns: Where its columns go.
        new: Rows and columns of the pairs to add, none twice.
        data: What stands beside these, where the matrix has data.
        stale_rows: Whether the rows that were put lose their earlier pairs.
        stale_columns: Whether the columns that were put do.
    """
    stays = rows.of_old >= 0
    if stale_rows:
        stays &= ~rows.is_put[rows.of_old]
    column = columns.moved(matrix.indices)
    leaves = column < 0
    if stale_columns:
        leaves |= columns.is_put[column]
    for place in np.flatnonzero(~stays).tolist():
        leaves[matrix.indptr[place] : matrix.indptr[place + 1]] = True
    gone = np.flatnonzero(leaves)
    kept = column if len(gone) == 0 else column[~leaves]
    counts = np.zeros(len(rows.ids), dtype=np.int32)
    left = np.diff(matrix.indptr) - _per_row(matrix, gone)
    counts[rows.of_old[stays]] = left[stays]
    order = np.lexsort((new[1], new[0]))
    row, added = new[0][order], new[1][order]
    places = _places_in_rows(Csr(_starts(counts), kept), row, added, len(columns.ids))
    counts += np.bincount(row, minlength=len(counts)).astype(np.int32)
    values = None
    if matrix.data is not None and data is not None:
        held = matrix.data if len(gone) == 0 else matrix.data[~leaves]
        values = inserted(held, places, data[order])
    return Csr(_starts(counts), inserted(kept, places, added), values)


def inserted(values: NDArray[Any], places: NDArray[np.integer], new: NDArray[Any]) -> NDArray[Any]:
    """Return values with others before those at some places, as `np.insert` does.

    Few are put between runs of the others, which are copied whole: NumPy marks every value.

    Args:
        values: Shape (n,).
        places: Shape (m,), ascending.
        new: What comes before each of these places, shape (m,).
    """
    if len(new) > _FEW:
        return np.insert(values, places, new)
    joined = np.empty(len(values) + len(new), dtype=values.dtype)
    joined[places + np.arange(len(new))] = new
    starts = [0, *places.tolist(), len(values)]
    for before, (first, end) in enumerate(pairwise(starts)):
        joined[first + before : end + before] = values[first:end]
    return joined


def rows_at(matrix: Csr, entries: NDArray[np.intp]) -> IntArray:
    """Return the row of some entries, which are places in `indices`."""
    return np.searchsorted(matrix.indptr, entries, side="right").astype(np.int32) - np.int32(1)


def _per_row(matrix: Csr, entries: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how many of some entries each row has."""
    return np.bincount(rows_at(matrix, entries), minlength=len(matrix.indptr) - 1)


def _starts(counts: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)


def _places_in_rows(matrix: Csr, rows: IntArray, columns: IntArray, width: int) -> IntArray:
    """Return before which entries others are to stand, that columns ascend; only rows are read.

    Args:
        matrix: Its columns ascend in each row.
        rows: Those of the others, ascending.
        columns: Theirs, ascending in each row.
        width: Number of columns.
    """
    touched, at = np.unique(rows, return_inverse=True)
    owners, known = matrix.gather(touched)
    starts = np.searchsorted(owners, np.arange(len(touched)))
    before = owners.astype(np.int64) * width + known
    places = np.searchsorted(before, at.astype(np.int64) * width + columns)
    found: IntArray = (matrix.indptr[touched] - starts)[at] + places
    return found


@dataclass(frozen=True, slots=True)
class CommunityIndex:
    """One generation's communities; ids are sorted, a row is a place in them.

    Attributes:
        ids: Shape (n,).
        level: Shape (n,), 0 is the coarsest.
        parent: Row of each one's parent, shape (n,), -1 on level 0.
        of_entity: Row of the finest community of each entity, shape (entities,), -1 without one;
            entities are rows of the `GraphIndex` of the same generation.
    """

    ids: IdArray
    level: IntArray
    parent: IntArray
    of_entity: IntArray

    def rows(self, ids: Sequence[str] | IdArray) -> IntArray:
        """Return the rows of these community ids; -1 where unknown."""
        return rows_of(self.ids, ids)

    def cut(self, level: int) -> IntArray:
        """Return the rows of the communities that show everything at a level, in order.

        A community that is not divided further ends above the level and stands for its part.
        """
        divided = np.zeros(len(self.ids) + 1, dtype=np.bool_)  # the parent of level 0 is the last
        divided[self.parent] = True
        shown = (self.level == level) | ((self.level < level) & ~divided[:-1])
        return np.flatnonzero(shown).astype(np.int32)

    def raised(self, rows: IntArray, level: int) -> IntArray:
        """Return for each row the community above it, or itself, that is part of `cut(level)`."""
        levels = np.append(self.level, -1)  # that of row -1
        raised = np.array(rows, dtype=np.int32)
        while len(too_fine := np.flatnonzero(levels[raised] > level)):
            raised[too_fine] = self.parent[raised[too_fine]]
        return raised


def build_community_arrays(
    connection: sqlite3.Connection, entity_ids: IdArray
) -> dict[str, NDArray[Any]]:
    """Return the arrays by name, as `load_community_index` takes them; none without communities."""
    rows = structure(connection)
    if not rows:
        return {}
    ids, levels, parents, _, _ = zip(*rows, strict=True)
    known = id_array(ids)
    of_entity = np.full(len(entity_ids) + 1, -1, dtype=np.int32)  # an unknown entity is the last
    members = list(own_members(connection))
    owners = np.repeat(np.arange(len(members), dtype=np.int32), [len(own) for own in members])
    of_entity[rows_of(entity_ids, list(chain.from_iterable(members)))] = owners
    return {
        "community_ids": known,
        "community_level": np.array(levels, dtype=np.int32),
        "community_parent": rows_of(known, [parent or "" for parent in parents]),
        "community_of_entity": of_entity[:-1],
    }


def extend_community_arrays(
    connection: sqlite3.Connection, known: Arrays, entities: RowMap
) -> dict[str, NDArray[Any]]:
    """Do what `build_community_arrays` does, where communities are those of the last generation.

    Args:
        connection: The state to read.
        known: The arrays of the last generation.
        entities: Where the rows of entities go.
    """
    if "community_ids" not in known:
        return {}
    names = ("community_ids", "community_level", "community_parent")
    of_entity = entities.spread(known["community_of_entity"], -1)
    # A community keeps the place of an entity that is gone, should it come back.
    loose = entities.put[of_entity[entities.put] < 0]
    new = dict(zip(entities.ids[loose].tolist(), loose.tolist(), strict=True))
    for community, members in own_members_with(connection, new.keys()) if new else ():
        for id_ in new.keys() & members:
            of_entity[new[id_]] = rows_of(known["community_ids"], [community])[0]
    return {name: known[name] for name in names} | {"community_of_entity": of_entity}


def load_community_index(arrays: Arrays) -> CommunityIndex:
    """Return the index over loaded arrays; a base without communities has none of them."""
    if "community_ids" not in arrays:
        none = np.zeros(0, dtype=np.int32)
        unassigned = np.full(len(arrays["entity_ids"]), -1, dtype=np.int32)
        return CommunityIndex(id_array(()), none, none, unassigned)
    names = ("ids", "level", "parent", "of_entity")
    return CommunityIndex(*(arrays[f"community_{name}"] for name in names))
