from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.embedding import IdArray
from hoptrail.stores.snapshot.graph_index import (
    Csr,
    RowMap,
    csr_from_pairs,
    id_array,
    joined_pairs,
    row_numbers,
    rows_of,
)

ids = st.sets(st.text("abc", min_size=1, max_size=3), max_size=9)


@given(ids, ids, ids)
def test_rows_go_where_their_ids_stand(known: set[str], put: set[str], gone: set[str]) -> None:
    gone -= put
    before = id_array(sorted(known))
    moves = RowMap.of(before, put, gone)
    assert moves.ids.tolist() == sorted((known | put) - gone)
    assert [moves.ids[row] for row in moves.put] == sorted(put)
    places = zip(before.tolist(), moves.of_old.tolist(), strict=True)
    assert {id_: moves.ids[row] for id_, row in places if row >= 0} == {
        id_: id_ for id_ in known - gone
    }


def test_values_follow_their_rows() -> None:
    moves = RowMap.of(id_array(["b", "d"]), ["a", "c"], ["d"])
    assert moves.spread(np.array([4, 5]), -1).tolist() == [-1, 4, -1]
    assert moves.moved(np.array([0, 1, -1])).tolist() == [1, -1, -1]


def test_pairs_of_what_was_put_are_replaced_and_others_follow_their_rows() -> None:
    matrix = csr_from_pairs(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    rows = RowMap.of(id_array(["b", "d"]), ["a", "d"])
    columns = RowMap.of(id_array(["x", "z"]), ["y"])
    new = np.array([2, 0, 2]), np.array([1, 0, 0])
    joined = joined_pairs(matrix, rows, columns, new, stale_rows=True)
    assert [joined.row(row).tolist() for row in range(3)] == [[0], [0, 2], [0, 1]]


def test_data_stand_beside_their_pairs() -> None:
    matrix = csr_from_pairs(np.array([0]), np.array([0]), 1)
    known = type(matrix)(matrix.indptr, matrix.indices, np.array([7.0], dtype=np.float32))
    words, chunks = RowMap.of(id_array(["b"]), ["a"]), RowMap.of(id_array(["x"]), ["w"])
    data = np.array([2.0, 3.0], dtype=np.float32)
    joined = joined_pairs(known, words, chunks, (np.array([1, 0]), np.array([0, 0])), data)
    assert joined.weights(0).tolist() == [3.0]
    assert joined.weights(1).tolist() == [2.0, 7.0]


Pairs = set[tuple[str, str]]
letters = st.sampled_from("abcde")
axis = st.sets(letters, max_size=5)
pairs = st.sets(st.tuples(letters, letters), max_size=12)


def csr_of(some: Pairs, rows: IdArray, columns: IdArray) -> Csr:
    """Return the matrix of pairs, beside each what tells it from others."""
    chosen = [pair for pair in some if pair[0] in rows and pair[1] in columns]
    row = rows_of(rows, id_array(one for one, _ in chosen))
    column = rows_of(columns, id_array(one for _, one in chosen))
    matrix = csr_from_pairs(row, column, len(rows))
    places = zip(rows[row_numbers(matrix)], columns[matrix.indices], strict=True)
    data = [1000 * ord(one) + ord(other) for one, other in places]
    return Csr(matrix.indptr, matrix.indices, np.array(data, dtype=np.float32))


@given(*(axis,) * 6, pairs, pairs, st.booleans(), st.booleans())
def test_pairs_joined_are_those_that_stay_and_those_that_come(
    rows: set[str],
    rows_put: set[str],
    rows_gone: set[str],
    columns: set[str],
    columns_put: set[str],
    columns_gone: set[str],
    before: Pairs,
    given_pairs: Pairs,
    stale_rows: bool,
    stale_columns: bool,
) -> None:
    row_map = RowMap.of(id_array(sorted(rows)), rows_put, rows_gone - rows_put)
    column_map = RowMap.of(id_array(sorted(columns)), columns_put, columns_gone - columns_put)
    known = csr_of(before, id_array(sorted(rows)), id_array(sorted(columns)))
    stays = {
        (row, column)
        for row, column in before
        if row in rows and column in columns
        if row in row_map.ids and column in column_map.ids
        if not (stale_rows and row in rows_put) and not (stale_columns and column in columns_put)
    }
    new = csr_of(given_pairs - stays, row_map.ids, column_map.ids)
    found = joined_pairs(
        known,
        row_map,
        column_map,
        (row_numbers(new), new.indices),
        new.data,
        stale_rows=stale_rows,
        stale_columns=stale_columns,
    )
    wanted = csr_of(stays | given_pairs, row_map.ids, column_map.ids)
    assert found.indptr.tolist() == wanted.indptr.tolist()
    assert found.indices.tolist() == wanted.indices.tolist()
    assert found.data is not None
    assert wanted.data is not None
    assert found.data.tolist() == wanted.data.tolist()
    assert {found.indptr.dtype, found.indices.dtype} == {np.dtype(np.int32)}
