"""One bad entry of a folder costs itself only, and is told in one line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped

TEXT = "Edda Thornvale founded the Harbour Guild."


def load(folder: Path) -> tuple[list[Document], list[Skipped]]:
    found = list(load_documents([folder]))
    documents = [item for item in found if isinstance(item, Document)]
    return documents, [item for item in found if isinstance(item, Skipped)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "good.md").write_text(TEXT)
    (tmp_path / "docs" / "zebra.md").write_text(f"{TEXT} It grew.")
    return tmp_path / "docs"


def name_that_is_not_utf8(folder: Path) -> None:
    (Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.md"))).write_text(TEXT)


def link_loop(folder: Path) -> None:
    (folder / "l1.md").symlink_to("l2.md")
    (folder / "l2.md").symlink_to("l1.md")


def folder_loop(folder: Path) -> None:
    (folder / "below").symlink_to(folder)


def link_out_of_the_folder(folder: Path) -> None:
    (folder.parent / "secret.md").write_text("A secret.")
    (folder / "link.md").symlink_to(folder.parent / "secret.md")


def linked_folder_outside(folder: Path) -> None:
    (folder.parent / "outside").mkdir()
    (folder.parent / "outside" / "secret.md").write_text("A secret.")
    (folder / "link").symlink_to(folder.parent / "outside")


def link_to_nothing(folder: Path) -> None:
    (folder / "gone.md").symlink_to(folder / "missing.md")


def fifo(folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")


def number_of_many_digits(folder: Path) -> None:
    (folder / "n.jsonl").write_text(f'{{"id": {"9" * 5000}, "text": "A text."}}\n')


def bad_line(folder: Path) -> None:
    (folder / "n.jsonl").write_text('{"id": 1, "text": \n')


def broken_html(folder: Path) -> None:
    (folder / "deep.html").write_text("<b>" * 50_000 + "text")


ENTRIES: dict[Callable[[Path], None], str] = {
    name_that_is_not_utf8: "its name is not UTF-8",
    link_loop: "symbolic links",
    folder_loop: "a link to a folder",
    link_out_of_the_folder: "a link that leads out of the folder",
    linked_folder_outside: "a link to a folder",
    link_to_nothing: "no such file",
    fifo: "not a regular file",
    number_of_many_digits: "too many digits",
    bad_line: "malformed JSON",
}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry.__name__))
def test_a_bad_entry_is_skipped_with_its_reason_and_the_rest_is_read(
    folder: Path, entry: Callable[[Path], None]
) -> None:
    entry(folder)
    documents, skipped = load(folder)
    assert [document.title for document in documents] == ["good", "zebra"]
    assert all("secret" not in document.text for document in documents)
    assert skipped
    for item in skipped:
        assert "\n" not in item.reason
        json.dumps(item.to_json()).encode()
        item.path.encode()
    assert ENTRIES[entry] in skipped[0].reason


def test_a_folder_that_cannot_be_entered_costs_only_its_own_files(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may look into every folder")
    for name in ("below", "next"):
        (folder / name).mkdir()
        (folder / name / f"{name}.md").write_text(TEXT)
    (folder / "below").chmod(0o400)  # its names may be listed, its files not opened
    try:
        documents, (skipped,) = load(folder)
    finally:
        (folder / "below").chmod(0o700)
    assert [document.title for document in documents] == ["good", "zebra", "next"]
    assert skipped == Skipped(str(folder / "below" / "below.md"), "Permission denied")


def test_html_that_the_parser_cannot_read_costs_only_itself(folder: Path) -> None:
    broken_html(folder)
    documents, skipped = load(folder)
    assert {"good", "zebra"} <= {document.title for document in documents}
    assert len(documents) + len(skipped) == 3


def test_links_within_the_folder_are_read(folder: Path) -> None:
    (folder / "link.md").symlink_to(folder / "good.md")
    documents, skipped = load(folder)
    assert len(documents) == 3
    assert not skipped


def test_a_named_folder_whose_own_path_is_not_utf8_is_read(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff"))
    folder.mkdir()
    (folder / "good.md").write_text(TEXT)
    documents, skipped = load(folder)
    assert not skipped
    (document,) = documents
    assert (document.uri or "").encode()
    assert document.id.encode()


def test_a_file_that_vanishes_while_the_folder_is_read_costs_only_itself(folder: Path) -> None:
    found = load_documents([folder])
    first = next(found)
    (folder / "zebra.md").unlink()
    assert isinstance(first, Document)
    assert [item.reason for item in found if isinstance(item, Skipped)] == ["no such file"]
