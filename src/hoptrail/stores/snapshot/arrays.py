"""Arrays of a cache folder: one `.npy` file each, mapped into memory when read.

A manifest beside them tells what each file has to be. So files that a power cut or a bad disk left
empty, short or changed are noticed when the folder is opened, not in the midst of a question.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.stores.snapshot.graph_index import Csr

Arrays = Mapping[str, NDArray[Any]]

_MANIFEST = "manifest.json"
_COPIED = 1 << 24  # bytes at a time
_SUMMED_MATRIX = 1 << 20  # bytes; a changed number in a large matrix costs one similarity


def save_arrays(folder: Path, arrays: Arrays) -> None:
    """Write each array to `<name>.npy`."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


def seal_arrays(folder: Path) -> None:
    """Write the manifest of a folder that is complete, and see all its files to the disk."""
    entries = {path.stem: _describe(path) for path in sorted(folder.glob("*.npy"))}
    text = json.dumps(entries)
    (folder / _MANIFEST).write_text(f"{_digest(text)}\n{text}", encoding="utf-8")
    for path in (*folder.iterdir(), folder):
        sync(path)


@dataclass(frozen=True, slots=True)
class SealedArrays:
    """The arrays of a sealed folder by name, mapped read-only, and the sizes of their files."""

    folder: Path
    arrays: dict[str, NDArray[Any]]
    sizes: Mapping[str, int]


def load_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """Return all arrays of a sealed folder by name, mapped read-only.

    Raises:
        OSError: If a file is missing, or vanishes meanwhile.
        ValueError: If one is not what was sealed.
    """
    return load_sealed(folder).arrays


def load_sealed(folder: Path) -> SealedArrays:
    """Return what a sealed folder holds.

    Raises:
        OSError: If a file is missing, or vanishes meanwhile.
        ValueError: If one is not what was sealed.
    """
    digest, _, text = (folder / _MANIFEST).read_text(encoding="utf-8").partition("\n")
    if digest != _digest(text):
        raise ValueError("the manifest is damaged")
    entries: dict[str, Any] = json.loads(text)
    arrays = {name: _map(folder / f"{name}.npy", entry) for name, entry in entries.items()}
    return SealedArrays(folder, arrays, {name: entry["size"] for name, entry in entries.items()})


def carry_array(sealed: SealedArrays, folder: Path, name: str) -> None:
    """Give another folder an array as it is: the same file where the system can, else a copy."""
    source, target = sealed.folder / f"{name}.npy", folder / f"{name}.npy"
    # What is longer than it was sealed, another generation has begun to add to.
    if source.stat().st_size == sealed.sizes[name] and not source.is_symlink():
        try:
            os.link(source, target)
        except OSError:
            pass
        else:
            return
    with source.open("rb") as given, target.open("wb") as taken:
        left = sealed.sizes[name]
        while left and (block := given.read(min(left, _COPIED))):
            taken.write(block)
            left -= len(block)


def append_rows(sealed: SealedArrays, folder: Path, name: str, rows: NDArray[Any]) -> None:
    """Give another folder a matrix with further rows, and leave the sealed one as it is.

    The rows are written behind the last one of the file that both then share: who has the earlier
    matrix mapped sees as many rows as before.
    """
    if sealed.arrays[name].size == 0:
        save_arrays(folder, {name: rows})
        return
    carry_array(sealed, folder, name)
    with (folder / f"{name}.npy").open("r+b") as file:
        file.seek(sealed.sizes[name])
        file.write(np.ascontiguousarray(rows, dtype=sealed.arrays[name].dtype).tobytes())


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk, where the system can tell."""
    if path.is_dir() and os.name == "nt":  # has no way to open one
        return
    opened = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


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


def _describe(path: Path) -> dict[str, Any]:
    """Return what `_map` needs to map an array file without trusting its header."""
    size = path.stat().st_size
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        shape, _, dtype = (
            np.lib.format.read_array_header_1_0(file)
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0(file)
        )
        offset = file.tell()
    rows, *row = shape
    if row and 0 not in shape:  # the header does not tell of rows that were appended
        rows = (size - offset) // (dtype.itemsize * math.prod(row))
    array = _mapped(path, dtype, offset, (rows, *row))
    return {
        "dtype": dtype.str,
        "shape": [rows, *row],
        "offset": offset,
        "size": size,
        "sum": _sum(array),
    }


def _map(path: Path, entry: Mapping[str, Any]) -> NDArray[Any]:
    if path.stat().st_size < entry["size"]:  # later rows may stand behind
        raise ValueError(f"{path} is shorter than it was")
    array = _mapped(path, np.dtype(entry["dtype"]), entry["offset"], tuple(entry["shape"]))
    if _sum(array) != entry["sum"]:
        raise ValueError(f"{path} holds other bytes")
    return array


def _mapped(path: Path, dtype: np.dtype[Any], offset: int, shape: tuple[int, ...]) -> NDArray[Any]:
    if 0 in shape:
        return np.zeros(shape, dtype=dtype)  # nothing cannot be mapped
    return np.asarray(np.memmap(path, dtype, "r", offset, shape))


def _sum(array: NDArray[Any]) -> int | None:
    """Return the sum of the bytes as numbers, which any flipped bit changes; None if not taken.

    It is several times as fast as a checksum of the standard library. Large matrices of vectors are
    left out: reading them whole would be most of the work of opening a knowledge base.
    """
    if array.ndim > 1 and array.nbytes > _SUMMED_MATRIX:
        return None
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = len(data) // 8 * 8
    total = int(np.add.reduce(data[:whole].view(np.uint64)))
    return (total + int(np.add.reduce(data[whole:], dtype=np.uint64))) % (1 << 64)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
