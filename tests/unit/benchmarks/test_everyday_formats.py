"""The documents of every format, and what must be read from them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.everyday.formats import ABSENT, CHECKS, FILES, FOLDER, SKIPPED, Check, write
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Document | Skipped]:
    folder = tmp_path_factory.mktemp("everyday")
    write(folder)
    items = list(load_documents([folder / "documents" / FOLDER]))
    return {Path(item.id if isinstance(item, Document) else item.path).name: item for item in items}


def document(loaded: dict[str, Document | Skipped], name: str) -> Document:
    item = loaded[name]
    assert isinstance(item, Document), item
    return item


def found(text: str, wanted: str) -> re.Match[str] | None:
    """Return where the words of a text stand, whatever white space is between them."""
    return re.search(r"\s+".join(map(re.escape, wanted.split())), text)


def test_the_folder_holds_sixty_files_and_is_written_the_same_every_time(tmp_path: Path) -> None:
    write(tmp_path / "one")
    write(tmp_path / "two")
    first, second = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name / "documents").rglob("*")
            if path.is_file()
        }
        for name in ("one", "two")
    )
    assert len(first) >= 60
    assert list(first.values()) == list(second.values())


def test_every_file_is_checked() -> None:
    assert {check.file for check in CHECKS} | set(SKIPPED) == set(FILES)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.file}: {check.text[:30]}")
def test_text_place_and_title_are_read(check: Check, loaded: dict[str, Document | Skipped]) -> None:
    read = document(loaded, check.file)
    match = found(read.text, check.text)
    assert match, read.text
    assert read.place(match.start(), match.end()) == check.place
    assert read.title == check.title


@pytest.mark.parametrize(("name", "text"), ABSENT)
def test_what_is_no_part_of_the_text_is_left_out(
    name: str, text: str, loaded: dict[str, Document | Skipped]
) -> None:
    assert text not in document(loaded, name).text


@pytest.mark.parametrize(("name", "word"), SKIPPED.items())
def test_files_that_cannot_be_read_say_why(
    name: str, word: str, loaded: dict[str, Document | Skipped]
) -> None:
    item = loaded[name]
    assert isinstance(item, Skipped)
    assert word in item.reason
