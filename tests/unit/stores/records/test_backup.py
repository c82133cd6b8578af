import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import (
    HoptrailError,
    InputError,
    KnowledgeBaseError,
    NotAKnowledgeBaseError,
)
from hoptrail.core.types import Document
from hoptrail.stores.records.backup import restore_backup, write_backup
from hoptrail.stores.records.database import DATABASE_NAME
from tests.ships import QUESTION, hashing_settings, index_ships


@pytest.fixture(scope="module")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ships")
    index_ships(folder, hashing_settings())
    with Hoptrail.open(folder, settings=hashing_settings(), preset="offline") as hoptrail:
        hoptrail.ask(QUESTION, thread_id="yards")
    return folder


@pytest.fixture
def backup(ships: Path, tmp_path: Path) -> Path:
    write_backup(ships, tmp_path / "ships.zip")
    return tmp_path / "ships.zip"


def test_a_restored_base_answers_as_before(ships: Path, backup: Path, tmp_path: Path) -> None:
    restore_backup(backup, tmp_path / "restored")

    with (
        Hoptrail.open(ships, settings=hashing_settings(), preset="offline") as before,
        Hoptrail.open(
            tmp_path / "restored", settings=hashing_settings(), preset="offline"
        ) as after,
    ):
        expected, answered = before.ask(QUESTION), after.ask(QUESTION)
        assert before.info()["generation"] == after.info()["generation"]
    assert (answered.text, answered.trail) == (expected.text, expected.trail)


def test_conversations_go_on_in_a_restored_base(backup: Path, tmp_path: Path) -> None:
    restore_backup(backup, tmp_path / "restored")
    with Hoptrail.open(tmp_path / "restored", settings=hashing_settings()) as hoptrail:
        assert [turn.answer.question for turn in hoptrail.turns("yards")] == [QUESTION]


def test_a_restored_base_takes_further_documents(backup: Path, tmp_path: Path) -> None:
    restore_backup(backup, tmp_path / "restored")
    with Hoptrail.open(tmp_path / "restored", settings=hashing_settings()) as hoptrail:
        report = hoptrail.index([Document("t/New", "New", "The New Yard is old.", "t")])
    assert report["documents"]["added"] == 1


def test_a_backup_holds_the_last_committed_state_beside_a_writer(
    ships: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(ships / DATABASE_NAME, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM documents")
        write_backup(ships, tmp_path / "ships.zip")
        writer.execute("ROLLBACK")
    restore_backup(tmp_path / "ships.zip", tmp_path / "restored")
    with Hoptrail.open(tmp_path / "restored") as hoptrail:
        assert hoptrail.info()["counts"]["documents"] == 3


def test_an_existing_file_is_not_written_over(ships: Path, backup: Path) -> None:
    before = backup.read_bytes()
    with pytest.raises(InputError, match="exists"):
        write_backup(ships, backup)
    assert backup.read_bytes() == before


def test_a_folder_that_is_not_there_is_one_error(ships: Path, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseError, match="No such file"):
        write_backup(ships, tmp_path / "nowhere" / "ships.zip")


def test_a_base_or_other_files_are_not_written_over(
    backup: Path, ships: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").touch()
    with pytest.raises(NotAKnowledgeBaseError):
        restore_backup(backup, tmp_path / "notes")
    with pytest.raises(KnowledgeBaseError, match="holds a knowledge base"):
        restore_backup(backup, ships)


def _rewritten(backup: Path, **changed: bytes) -> Path:
    """Return a backup with other contents; `database` and `manifest` name its files."""
    names = {"database": DATABASE_NAME, "manifest": "manifest.json"}
    contents = {names[part]: content for part, content in changed.items()}
    other = backup.with_name("changed.zip")
    with zipfile.ZipFile(backup) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            target.writestr(name, contents.get(name) or source.read(name))
    return other


def _manifest(**files: object) -> bytes:
    return json.dumps({"format": "hoptrail-backup-1", "files": files}).encode()


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"database": b"x" * 1000}, "damaged"),
        ({"manifest": b"{}"}, "no backup"),
        ({"manifest": b'{"format": "hoptrail-backup-9", "files": {}}'}, "another version"),
        ({"manifest": _manifest(**{"hoptrail.sqlite": {}, "../x": {}})}, "another version"),
    ],
)
def test_a_damaged_backup_leaves_no_base(
    backup: Path, tmp_path: Path, changed: dict[str, bytes], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        restore_backup(_rewritten(backup, **changed), tmp_path / "restored")
    assert not (tmp_path / "restored" / DATABASE_NAME).exists()


def test_a_file_that_grows_beyond_its_stated_size_is_not_unpacked(
    backup: Path, tmp_path: Path
) -> None:
    told = _manifest(**{DATABASE_NAME: {"bytes": 10, "sha256": ""}})
    with pytest.raises(InputError, match="damaged"):
        restore_backup(_rewritten(backup, manifest=told), tmp_path / "restored")


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"", "no backup"), (b"Flat,Name", "no backup"), (b"PK\x03\x04 cut", "damaged")],
)
def test_what_is_no_zip_file_is_one_error(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(HoptrailError, match=told):
        restore_backup(tmp_path / "file", tmp_path / "restored")


def test_a_path_that_may_not_be_looked_at_is_an_error_of_that_path(
    ships: Path, tmp_path: Path
) -> None:
    place = tmp_path / f"{'long' * 100}.zip"
    with pytest.raises(KnowledgeBaseError, match="File name too long"):
        write_backup(ships, place)
    with pytest.raises(InputError, match="cannot be read: File name too long"):
        restore_backup(place, tmp_path / "kb")


def test_a_restore_that_was_killed_is_done_by_the_next(backup: Path, tmp_path: Path) -> None:
    folder = tmp_path / "restored"
    (folder / ".hoptrail-killed").mkdir(parents=True)
    (folder / ".hoptrail-killed" / DATABASE_NAME).write_bytes(b"half")
    (folder / "threads.sqlite").write_bytes(b"moved before the kill")

    restore_backup(backup, folder)

    assert sorted(path.name for path in folder.iterdir()) == [DATABASE_NAME, "threads.sqlite"]
    with Hoptrail.open(folder, settings=hashing_settings(), preset="offline") as hoptrail:
        assert [thread.id for thread in hoptrail.threads()] == ["yards"]
