"""Arrays of a cache folder: one `.npy` file each, mapped into memory when read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.stores.graph_index import Csr

Arrays = Mapping[str, NDArray[Any]]


def save_arrays(folder: Path, arrays: Arrays) -> None:
    """Write each array to `<name>.npy`."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


def load_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """Return all arrays of a folder by name, mapped read-only.

    Raises:
        OSError: If a file vanishes meanwhile.
        ValueError: If one is cut short or no array.
    """
    return {path.stem: _load(path) for path in sorted(folder.glob("*.npy"))}


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


def csr_from_pairs(
    rows: IntArray, columns: IntArray, n_rows: int, data: FloatArray | None = None
) -> Csr:
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
        None if data is None else data[valid][order][first].astype(np.float32),
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


def _load(path: Path) -> NDArray[Any]:
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        mapped = np.load(path, allow_pickle=False)  # an empty array cannot be mapped
    return np.asarray(mapped)
