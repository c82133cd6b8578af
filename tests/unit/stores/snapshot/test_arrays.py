from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray
from hoptrail.stores.snapshot.arrays import (
    HeldColumns,
    NextArrays,
    append_rows,
    array_lengths,
    carry_array,
    load_arrays,
    load_sealed,
    save_arrays,
    seal_arrays,
)

MATRIX = np.arange(12, dtype=np.float32).reshape(4, 3)
MORE = np.full((2, 3), 9, dtype=np.float32)


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    folder = tmp_path / "one"
    folder.mkdir()
    save_arrays(folder, {"matrix": MATRIX, "empty": MATRIX[:0]})
    seal_arrays(folder)
    return folder


def next_folder(sealed: Path, name: str, rows: FloatArray = MORE) -> Path:
    folder = sealed.with_name(name)
    folder.mkdir()
    append_rows(load_sealed(sealed), folder, "matrix", rows)
    append_rows(load_sealed(sealed), folder, "empty", rows)
    seal_arrays(folder)
    return folder


def test_appended_rows_follow_those_before(sealed: Path) -> None:
    found = load_arrays(next_folder(sealed, "two"))
    assert np.array_equal(found["matrix"], np.concatenate((MATRIX, MORE)))
    assert np.array_equal(found["empty"], MORE)


def test_the_folder_before_is_as_it_was(sealed: Path) -> None:
    mapped = load_arrays(sealed)["matrix"]
    next_folder(sealed, "two")
    assert np.array_equal(mapped, MATRIX)
    assert np.array_equal(load_arrays(sealed)["matrix"], MATRIX)


def test_rows_are_appended_again_and_again(sealed: Path) -> None:
    last = next_folder(next_folder(sealed, "two"), "three")
    assert np.array_equal(load_arrays(last)["matrix"], np.concatenate((MATRIX, MORE, MORE)))


def test_a_file_that_was_appended_to_by_another_is_copied(sealed: Path) -> None:
    next_folder(sealed, "two")  # of a publication that came to nothing
    other = next_folder(sealed, "three", MORE + 1)
    assert np.array_equal(load_arrays(other)["matrix"], np.concatenate((MATRIX, MORE + 1)))
    two = load_arrays(sealed.with_name("two"))
    assert np.array_equal(two["matrix"], np.concatenate((MATRIX, MORE)))


def test_a_link_to_a_file_is_copied_not_appended_to(sealed: Path) -> None:
    shared = sealed.with_name("shared")
    shared.mkdir()
    for path in sealed.iterdir():
        (shared / path.name).symlink_to(path)
    size = (sealed / "matrix.npy").stat().st_size
    next_folder(shared, "two")
    assert (sealed / "matrix.npy").stat().st_size == size


def test_an_array_is_carried_as_it_is(sealed: Path) -> None:
    folder = sealed.with_name("two")
    folder.mkdir()
    carry_array(load_sealed(sealed), folder, "matrix")
    seal_arrays(folder)
    assert np.array_equal(load_arrays(folder)["matrix"], MATRIX)


@pytest.mark.parametrize(
    "column",
    [
        np.array(["b", "", "größer 城"]),
        np.arange(-3, 4, dtype=np.int32),
        np.zeros(5, dtype=np.float32),
        np.array([b"0f", b"10"], dtype="S32"),
        np.zeros(0, dtype="<U1"),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_column_is_read_as_it_was_written(tmp_path: Path, column: NDArray[Any]) -> None:
    save_arrays(tmp_path, {"column": column})
    seal_arrays(tmp_path)
    found = load_arrays(tmp_path)["column"]
    assert found.dtype == column.dtype
    assert found.tolist() == column.tolist()
    assert not found.flags.writeable


def test_a_column_that_zlib_packed_is_read(tmp_path: Path) -> None:
    column = np.arange(5, dtype=np.int32)
    bytes_at_place_0 = zlib.compress(column.astype(np.uint8).tobytes())
    head = b'{"dtype": "<i4", "shape": [5], "planes": [0]}\n'
    (tmp_path / "column.column").write_bytes(head + bytes_at_place_0)
    seal_arrays(tmp_path)
    assert load_arrays(tmp_path)["column"].tolist() == column.tolist()


def test_ids_take_a_fraction_of_their_bytes(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).integers(0, 1 << 63, 1000)
    ids = np.array(sorted(f"{number:016x}" for number in numbers.tolist()))
    save_arrays(tmp_path, {"ids": ids})
    (path,) = tmp_path.iterdir()
    assert path.stat().st_size < ids.nbytes / 5


def test_a_very_long_column_is_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hoptrail.stores.snapshot.arrays._LONGEST_COLUMN", 8)
    save_arrays(tmp_path, {"long": MATRIX[:, 0]})
    seal_arrays(tmp_path)
    assert np.array_equal(load_arrays(tmp_path)["long"], MATRIX[:, 0])
    assert (tmp_path / "long.npy").is_file()


def test_columns_that_were_just_written_are_not_read_again(sealed: Path) -> None:
    folder = sealed.with_name("two")
    folder.mkdir()
    arrays = NextArrays(folder, load_sealed(sealed))
    arrays.save({"column": MATRIX[:, 0]})
    arrays.append("matrix", MORE)
    arrays.carry("empty")
    held = arrays.seal()
    found = load_sealed(folder, held).arrays
    assert found["column"] is held.columns["column"]
    assert not found["column"].flags.writeable
    assert set(found) == {"column", "matrix", "empty"}
    assert dict(load_arrays(folder)).keys() == set(found)
    assert np.array_equal(load_arrays(folder)["column"], MATRIX[:, 0])


def test_a_column_that_is_as_it_was_is_the_same_file(sealed: Path) -> None:
    one, two = (sealed.with_name(name) for name in ("columns", "next"))
    one.mkdir()
    two.mkdir()
    before = {"same": np.arange(4), "other": np.arange(4)}
    save_arrays(one, before)
    seal_arrays(one)
    arrays = NextArrays(two, load_sealed(one))
    arrays.save({"same": np.arange(4), "other": np.arange(1, 5)})
    arrays.seal()
    assert (two / "same.column").samefile(one / "same.column")
    assert not (two / "other.column").samefile(one / "other.column")
    assert {name: one.tolist() for name, one in load_arrays(two).items()} == {
        "same": [0, 1, 2, 3],
        "other": [1, 2, 3, 4],
    }


def test_a_held_column_whose_file_is_cut_short_is_noticed(sealed: Path) -> None:
    folder = sealed.with_name("two")
    folder.mkdir()
    arrays = NextArrays(folder, load_sealed(sealed))
    arrays.save({"column": MATRIX[:, 0]})
    held = arrays.seal()
    (folder / "column.column").write_bytes(b"")
    with pytest.raises(ValueError, match="not as it was"):
        load_sealed(folder, held)


def test_held_columns_are_those_of_one_folder_alone(sealed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    save_arrays(folder, {"column": MATRIX[:, 0]})
    seal_arrays(folder)
    held = HeldColumns("of another manifest", {"column": MATRIX[:, 1]})
    assert np.array_equal(load_sealed(folder, held).arrays["column"], MATRIX[:, 0])


def test_the_lengths_of_arrays_are_told_without_reading_them(sealed: Path) -> None:
    (sealed / "matrix.npy").unlink()
    assert array_lengths(sealed) == {"matrix": 4, "empty": 0}
