from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.indexing.loading.files import Skipped
from hoptrail.web.uploaded_files import UploadedFiles
from tests.ships import hashing_settings

MAIL = "From x\nMessage-ID: <m{0}@example.org>\nSubject: Bees {0}\n\nHive {0} swarmed.\n\n"


def mailbox(*numbers: int) -> str:
    return "".join(MAIL.format(number) for number in numbers)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "bases" / "articles" / "uploads"
    made.mkdir(parents=True)
    return made


@contextmanager
def indexed(base: Path, *paths: Path) -> Iterator[UploadedFiles]:
    with Hoptrail.open(base, create=True, settings=hashing_settings()) as hoptrail:
        hoptrail.index(list(paths), extractor="none")
        yield UploadedFiles(hoptrail.stored)


def put(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_the_mails_of_a_mailbox_are_its_documents(tmp_path: Path, folder: Path) -> None:
    box = put(folder, "box.mbox", mailbox(0, 1))

    with indexed(tmp_path / "kb", box, put(folder, "notes.txt", "The mill burned.")) as files:
        assert files.made_of(box, []) == ["box/m0@example.org", "box/m1@example.org"]


def test_mails_of_an_earlier_mailbox_were_not_made_of_the_one_that_replaces_it(
    tmp_path: Path, folder: Path
) -> None:
    for numbers in ((0, 1), (1, 2)):
        box = put(folder, "box.mbox", mailbox(*numbers))
        with indexed(tmp_path / "kb", box) as files:
            made, documents = files.made_of(box, []), files.documents(box)

    assert made == ["box/m1@example.org", "box/m2@example.org"]
    assert len(documents) == 3


def test_a_file_that_could_not_be_read_made_nothing_though_an_earlier_one_did(
    tmp_path: Path, folder: Path
) -> None:
    notes = put(folder, "notes.txt", "The mill burned.")

    with indexed(tmp_path / "kb", notes) as files:
        assert files.made_of(notes, [Skipped(f"{notes}, page 3", "no text")])
        assert files.made_of(notes, [Skipped(str(notes), "not a text")]) == []


def test_what_was_skipped_belongs_to_the_file_whose_part_it_is(
    tmp_path: Path, folder: Path
) -> None:
    box = put(folder, "box.mbox", mailbox(0))
    paths = [folder / "a", folder / "a:b.bin", folder / "mail.eml", box]
    places = {
        f"{folder}/a": "a",
        f"{folder}/a:b.bin": "a:b.bin",
        f"{folder}/a:3": "a",
        f"{folder}/mail.eml, attachment x.zip": "mail.eml",
        "box/m0@example.org": "box.mbox",
    }
    skipped = [Skipped(place, "unreadable") for place in [*places, "other/file.txt"]]

    with indexed(tmp_path / "kb", box) as files:
        found = files.by_file(skipped, paths)

    assert {one.path: path.name for path, rows in found.items() for one in rows} == places


def test_a_file_is_emptied_by_the_deletion_of_its_last_document(
    tmp_path: Path, folder: Path
) -> None:
    box = put(folder, "box.mbox", mailbox(0, 1))
    own = put(tmp_path, "own.txt", "The mill burned.")
    ids = ["box/m0@example.org", "box/m1@example.org"]

    with indexed(tmp_path / "kb", box, own) as files:
        own_ids = files.documents(own)

        assert files.emptied([*ids[:1], *own_ids], folder) == []
        assert files.emptied([*ids, *own_ids], folder) == [box]


def test_a_file_is_known_where_its_folder_was_moved(tmp_path: Path, folder: Path) -> None:
    notes = put(folder, "notes.txt", "The mill burned.")
    moved = tmp_path / "elsewhere" / "bases" / "articles" / "uploads"

    with indexed(tmp_path / "kb", notes) as files:
        assert files.emptied(files.documents(notes), moved) == [moved / "notes.txt"]
