from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.stores.snapshot.graph_index import RowMap, csr_from_pairs, id_array, joined_pairs

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
