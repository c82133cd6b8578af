"""Paths of files, on disks of all kinds."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from hoptrail.indexing.loading.files import is_missing, on_disk, real_path


class CaselessDisk:
    """A disk on which capitals do not matter, as on Windows and macOS."""

    def __init__(self, *paths: str) -> None:
        self._names: dict[str, list[str]] = {}
        for path in paths:
            for folder, entry in zip(
                Path(path).parents, (Path(path), *Path(path).parents), strict=False
            ):
                names = self._names.setdefault(_key(str(folder)), [])
                names += [entry.name] * (entry.name not in names)

    def exists(self, path: str) -> bool:
        names = self._names.get(_key(str(Path(path).parent)), [])
        return _key(Path(path).name) in map(_key, names)

    def names_in(self, folder: str) -> list[str]:
        return self._names[_key(folder)]

    def spelled(self, path: str) -> str:
        return on_disk(path, exists=self.exists, names_in=self.names_in)


def _key(name: str) -> str:
    return unicodedata.normalize("NFD", name).casefold()


@pytest.mark.parametrize(
    "typed", ["/home/ida/Notes/Mill.md", "/HOME/Ida/notes/mill.MD", "/home/ida/NOTES/mill.md"]
)
def test_capitals_are_those_of_the_disk_where_they_do_not_matter(typed: str) -> None:
    disk = CaselessDisk("/home/ida/Notes/Mill.md", "/home/ida/Notes/old/Yard.md")
    assert disk.spelled(typed) == "/home/ida/Notes/Mill.md"


def test_accents_are_those_of_the_disk() -> None:
    stored = unicodedata.normalize("NFD", "/home/ida/Käse.md")
    typed = unicodedata.normalize("NFC", "/home/ida/käse.md")
    assert CaselessDisk(stored).spelled(typed) == stored


def test_what_is_not_there_stays_as_typed() -> None:
    assert CaselessDisk("/home/ida/Notes/a.md").spelled("/home/Ida/notes/New/b.md") == (
        "/home/ida/Notes/New/b.md"
    )


def test_names_that_differ_in_capitals_are_two_files_where_capitals_matter(tmp_path: Path) -> None:
    (tmp_path / "Notes").mkdir()
    if (tmp_path / "notes").exists():
        pytest.skip("capitals do not matter on this disk")
    (tmp_path / "notes").mkdir()

    assert real_path(tmp_path / "notes") == str(tmp_path.resolve() / "notes")
    assert real_path(tmp_path / "NOTES") == str(tmp_path.resolve() / "NOTES")
    assert (is_missing(str(tmp_path / "notes")), is_missing(str(tmp_path / "NOTES"))) == (
        False,
        True,
    )
