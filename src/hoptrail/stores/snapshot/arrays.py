"""Arrays of a cache folder: matrices as `.npy` files, mapped into memory; columns compressed.

A column (one axis) lies in a `.column` file: a line of JSON that tells its type, then the bytes of
its values, first those at place 0 of each value, then those at place 1, and so on, compressed.
Places where all are zero are left out, as are three of four bytes of an id. So ids, numbers of rows
and counts take a fifth of their size. They are read once, when they are first asked for, where a
matrix of vectors is only looked into. Very long columns are `.npy` files all the same.

A manifest beside them tells what each file has to be. So files that a power cut or a bad disk left
empty, short or changed are noticed when the folder is opened, not in the midst of a question.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
Entry = Mapping[str, Any]
"""An array as the manifest tells of it."""

_MANIFEST = "manifest.json"
_MATRIX = ".npy"
_COLUMN = ".column"
_LONGEST_COLUMN = 1 << 26  # bytes; a longer one is looked into, not read
_LEVEL = 1  # of compression: a higher one takes three times as long for nothing less
_PACKING = "zstd"  # columns of earlier arrays are packed by zlib, which takes eight times as long
_AT_ONCE = 8192  # values that are taken apart or put together at a time: what the cache holds
_COPIED = 1 << 24  # bytes at a time
_SUMMED_MATRIX = 1 << 20  # bytes; a changed number in a large matrix costs one similarity


def save_arrays(folder: Path, arrays: Arrays) -> dict[str, Entry]:
    """Write each array to a file of its name, and return what the manifest tells of columns."""
    entries: dict[str, Entry] = {}
    for name, array in arrays.items():
        if _is_column(array):
            entries[name] = _save_column(folder / f"{name}{_COLUMN}", array)
        else:
            np.save(folder / f"{name}{_MATRIX}", array, allow_pickle=False)
    return entries


def seal_arrays(folder: Path, columns: Mapping[str, Entry] | None = None) -> str:
    """Write the manifest of a folder that is complete, and see all its files to the disk.

    Args:
        folder: The folder.
        columns: What `save_arrays` returned of all its columns; they are read if it is not given.

    Returns:
        The digest of the manifest.
    """
    if columns is None:
        columns = {path.stem: _describe_column(path) for path in folder.glob(f"*{_COLUMN}")}
    matrices = {path.stem: _describe(path) for path in folder.glob(f"*{_MATRIX}")}
    text = json.dumps({**columns, **matrices}, sort_keys=True)
    digest = _digest(text)
    (folder / _MANIFEST).write_text(f"{digest}\n{text}", encoding="utf-8")
    for path in (*folder.iterdir(), folder):
        sync(path)
    return digest


@dataclass(frozen=True, slots=True)
class HeldColumns:
    """Columns of a sealed folder in memory, and the digest of the manifest that tells of them.

    Who has written or read a folder need not read it again. The digest tells a folder of the same
    generation that somebody else built, whose rows may stand in another order.
    """

    digest: str
    columns: Arrays


class NextArrays:
    """The arrays of a folder that follows a sealed one, while they are written.

    Args:
        folder: An existing, empty folder.
        known: The arrays before.
    """

    def __init__(self, folder: Path, known: SealedArrays) -> None:
        self._folder = folder
        self._known = known
        self._columns: dict[str, NDArray[Any]] = {}
        self._entries: dict[str, Entry] = {}

    def save(self, arrays: Arrays) -> None:
        """Write each array to a file of its name; a column that is as it was is taken over."""
        for name, array in arrays.items():
            if self._is_known(name, array):
                self.carry(name)
                continue
            entries = save_arrays(self._folder, {name: array})
            self._entries |= entries
            if name in entries:
                held = self._columns[name] = array.view()
                held.flags.writeable = False

    def carry(self, name: str) -> None:
        """Take an array over as it is."""
        carry_array(self._known, self._folder, name)
        array = self._known.arrays[name]
        if _is_column(array):
            self._entries[name] = self._known.entries[name]
            self._columns[name] = array

    def append(self, name: str, rows: NDArray[Any]) -> None:
        """Take a matrix over with further rows."""
        append_rows(self._known, self._folder, name, rows)

    def _is_known(self, name: str, array: NDArray[Any]) -> bool:
        if name not in self._known.arrays or not _is_column(array):
            return False
        known = self._known.arrays[name]
        same = known.dtype == array.dtype and len(known) == len(array)
        return same and np.array_equal(known, array)

    def clear(self) -> None:
        """Remove what was written."""
        self._columns.clear()
        self._entries.clear()
        for path in self._folder.iterdir():
            path.unlink()

    def seal(self) -> HeldColumns:
        """Do what `seal_arrays` does, and return the columns."""
        return HeldColumns(seal_arrays(self._folder, self._entries), self._columns)


def _is_column(array: NDArray[Any]) -> bool:
    return array.ndim == 1 and array.nbytes <= _LONGEST_COLUMN


class LoadedArrays(Mapping[str, NDArray[Any]]):
    """The arrays of a sealed folder by name, read-only: matrices mapped, columns when asked for.

    Args:
        matrices: The matrices.
        columns: What the manifest tells of columns, and their bytes.
        held: Columns that are in memory, or that others read from there.
    """

    def __init__(
        self,
        matrices: dict[str, NDArray[Any]],
        columns: dict[str, tuple[Entry, bytes]],
        held: Arrays,
    ) -> None:
        self._read = matrices
        self._columns = columns
        self._held = held

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array."""
        found = self._read.get(name)
        if found is None:
            packed = self._columns.get(name)
            if packed is None:  # another thread has read it, or it is held
                return self._read[name] if name in self._read else self._held[name]
            found = self._read[name] = _read_column(*packed)
            self._columns.pop(name, None)
        return found

    def __contains__(self, name: object) -> bool:
        """Return whether there is an array of that name, without reading it."""
        return name in self._read or name in self._columns or name in self._held

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter({**dict.fromkeys(self._held), **self._read, **self._columns})

    def __len__(self) -> int:
        """Number of arrays."""
        return len(list(iter(self)))


@dataclass(frozen=True, slots=True)
class SealedArrays:
    """The arrays of a sealed folder by name, and what its manifest tells of them.

    `digest` is that of the manifest.
    """

    folder: Path
    digest: str
    arrays: LoadedArrays
    entries: Mapping[str, Entry]

    def file_of(self, name: str) -> str:
        """Return the name of the file of an array."""
        return f"{name}{_COLUMN if 'planes' in self.entries[name] else _MATRIX}"


def load_arrays(folder: Path) -> LoadedArrays:
    """Return all arrays of a sealed folder by name.

    Raises:
        OSError: If a file is missing, or vanishes meanwhile.
        ValueError: If one is not what was sealed.
    """
    return load_sealed(folder).arrays


def load_sealed(folder: Path, held: HeldColumns | None = None) -> SealedArrays:
    """Return what a sealed folder holds.

    Args:
        folder: The folder.
        held: Columns that need not be read, if they are those of this folder.

    Raises:
        OSError: If a file is missing, or vanishes meanwhile.
        ValueError: If one is not what was sealed.
    """
    digest, entries = _manifest(folder)
    known: Arrays = {}
    if held is not None and held.digest == digest:
        known = held.columns
    matrices: dict[str, NDArray[Any]] = {}
    columns: dict[str, tuple[Entry, bytes]] = {}
    for name, entry in entries.items():
        if "planes" in entry:
            path = folder / f"{name}{_COLUMN}"
            if name not in known:
                columns[name] = entry, _column_bytes(path, entry)
            elif path.stat().st_size != entry["size"]:
                raise ValueError(f"{path} is not as it was")
        else:
            matrices[name] = _map(folder / f"{name}{_MATRIX}", entry)
    return SealedArrays(folder, digest, LoadedArrays(matrices, columns, known), entries)


def array_lengths(folder: Path) -> dict[str, int]:
    """Return the number of rows of each array of a sealed folder, as its manifest tells it.

    Raises:
        OSError: If the manifest is missing.
        ValueError: If it is damaged.
    """
    return {name: entry["shape"][0] for name, entry in _manifest(folder)[1].items()}


def carry_array(sealed: SealedArrays, folder: Path, name: str) -> None:
    """Give another folder an array as it is: the same file where the system can, else a copy."""
    file_name, size = sealed.file_of(name), sealed.entries[name]["size"]
    source, target = sealed.folder / file_name, folder / file_name
    # What is longer than it was sealed, another generation has begun to add to.
    if source.stat().st_size == size and not source.is_symlink():
        try:
            os.link(source, target)
        except OSError:
            pass
        else:
            return
    with source.open("rb") as given, target.open("wb") as taken:
        left = size
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
    with (folder / f"{name}{_MATRIX}").open("r+b") as file:
        file.seek(sealed.entries[name]["size"])
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


def _save_column(path: Path, column: NDArray[Any]) -> Entry:
    values = np.ascontiguousarray(column).view(np.uint8).reshape(len(column), column.itemsize)
    planes = _used_places(values)
    head = {
        "dtype": column.dtype.str,
        "shape": [len(column)],
        "planes": planes,
        "packing": _PACKING,
    }
    packer = zstandard.ZstdCompressor(level=_LEVEL)
    packed = packer.compress(_taken_apart(values, planes).data)
    data = json.dumps(head).encode() + b"\n" + packed
    path.write_bytes(data)
    return _told_of_column(data)


def _taken_apart(data: NDArray[np.uint8], places: Sequence[int]) -> NDArray[np.uint8]:
    """Return the bytes at some places of all values, shape (places, values)."""
    planes = np.empty((len(places), len(data)), dtype=np.uint8)
    for first in range(0, len(data), _AT_ONCE):
        part = data[first : first + _AT_ONCE]
        for plane, place in zip(planes, places, strict=True):
            plane[first : first + _AT_ONCE] = part[:, place]
    return planes


def _used_places(data: NDArray[np.uint8]) -> list[int]:
    """Return the places of a value, one byte each, where not all values are zero."""
    size = data.shape[1]
    word = next(one for one in (np.uint64, np.uint32, np.uint8) if size % one().itemsize == 0)
    joined = np.bitwise_or.reduce(data.view(word), axis=0, initial=0)
    return np.flatnonzero(joined.view(np.uint8)).tolist()


def _read_column(entry: Mapping[str, Any], packed: bytes) -> NDArray[Any]:
    """Return a column; its bytes are those that were sealed."""
    (rows,), dtype = entry["shape"], np.dtype(entry["dtype"])
    data = np.zeros((rows, dtype.itemsize), dtype=np.uint8)
    unpack = (
        zstandard.ZstdDecompressor().decompress
        if entry.get("packing") == _PACKING
        else zlib.decompress
    )
    plain = unpack(packed)
    planes = np.frombuffer(plain, dtype=np.uint8).reshape(len(entry["planes"]), rows)
    for first in range(0, rows, _AT_ONCE):
        part = data[first : first + _AT_ONCE]
        for place, plane in zip(entry["planes"], planes, strict=True):
            part[:, place] = plane[first : first + _AT_ONCE]
    column: NDArray[Any] = data.reshape(-1).view(dtype)
    column.flags.writeable = False
    return column


def _describe_column(path: Path) -> Entry:
    return _told_of_column(path.read_bytes())


def _told_of_column(data: bytes) -> Entry:
    head, _, _ = data.partition(b"\n")
    offset = len(head) + 1
    total = _sum(np.frombuffer(data, np.uint8))
    return {**json.loads(head), "offset": offset, "size": len(data), "sum": total}


def _column_bytes(path: Path, entry: Mapping[str, Any]) -> bytes:
    with path.open("rb") as file:
        data = file.read(entry["size"])
    if len(data) != entry["size"] or _sum(np.frombuffer(data, np.uint8)) != entry["sum"]:
        raise ValueError(f"{path} holds other bytes")
    return data[entry["offset"] :]


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
    if array.ndim > 1 and array.dtype != np.uint8 and array.nbytes > _SUMMED_MATRIX:
        return None
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = len(data) // 8 * 8
    total = int(np.add.reduce(data[:whole].view(np.uint64)))
    return (total + int(np.add.reduce(data[whole:], dtype=np.uint64))) % (1 << 64)


def _manifest(folder: Path) -> tuple[str, dict[str, Any]]:
    """Return the digest and the entries of a manifest."""
    digest, _, text = (folder / _MANIFEST).read_text(encoding="utf-8").partition("\n")
    if digest != _digest(text):
        raise ValueError("the manifest is damaged")
    return digest, json.loads(text)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
