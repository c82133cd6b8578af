from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import (
    EmbedderMismatchError,
    FormatVersionError,
    KnowledgeBaseError,
    KnowledgeBaseLockedError,
    NotAKnowledgeBaseError,
)
from hoptrail.core.types import Document
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.database import DATABASE_NAME, NEW_DATABASE
from hoptrail.testing import HashingEmbedder
from tests.embedders import CountingEmbedder
from tests.passages import passage


class TurnedEmbedder(HashingEmbedder):
    """The same name and dimension, but other weights."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        return np.ascontiguousarray(np.roll(super().embed(texts), 1, axis=1))


@pytest.fixture
def base(folder: Path, embedder: HashingEmbedder) -> Path:
    with KnowledgeBase.open(folder, embedder=embedder, create=True) as kb:
        kb.put_document(Document("s/1", "Title", "text", "s"), [])
        kb.publish()
    return folder


def test_a_new_base_has_its_folders_name_and_no_generation(folder: Path) -> None:
    with KnowledgeBase.open(folder, create=True) as kb:
        assert (kb.name, kb.generation, kb.path) == ("kb", 0, folder)


def test_what_was_put_is_there_when_opened_again(base: Path) -> None:
    with KnowledgeBase.open(base) as kb:
        assert [document.title for document in kb.store.documents(["s/1"])] == ["Title"]


@pytest.mark.parametrize("create", [False, True])
def test_a_file_is_no_knowledge_base(tmp_path: Path, create: bool) -> None:
    path = tmp_path / "file"
    path.write_text("text")
    with pytest.raises(NotAKnowledgeBaseError, match="it is a file"):
        KnowledgeBase.open(path, create=create)


def test_a_missing_folder_is_named_with_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(NotAKnowledgeBaseError, match=r"no such folder .*hoptrail index"):
        KnowledgeBase.open(tmp_path / "missing")


def test_a_folder_of_other_files_is_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("text")
    with pytest.raises(NotAKnowledgeBaseError, match="other files"):
        KnowledgeBase.open(tmp_path, create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_another_programs_database_is_no_knowledge_base(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / DATABASE_NAME) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    with pytest.raises(NotAKnowledgeBaseError, match="not one of Hoptrail's"):
        KnowledgeBase.open(tmp_path, writable=True)


def test_a_newer_format_asks_for_an_upgrade(base: Path) -> None:
    with sqlite3.connect(base / DATABASE_NAME) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(FormatVersionError, match=r"format 99.*pip install -U"):
        KnowledgeBase.open(base)


def test_a_base_of_the_fourth_format_loses_its_graph_of_passages_when_written(base: Path) -> None:
    with closing(sqlite3.connect(base / DATABASE_NAME)) as connection:
        connection.execute("CREATE TABLE chunk_graph (chunk_id TEXT REFERENCES chunks (id))")
        connection.execute("INSERT INTO chunk_graph SELECT id FROM chunks")
        connection.execute("PRAGMA user_version = 4")
        connection.commit()
    with KnowledgeBase.open(base) as old:
        held = old.counts()
    with KnowledgeBase.open(base, writable=True) as written:
        assert written.counts() == held
    with closing(sqlite3.connect(base / DATABASE_NAME)) as connection:
        (tables,) = connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE name = 'chunk_graph'"
        ).fetchone()
        assert tables == 0


def test_a_creation_that_was_cut_short_is_taken_up(folder: Path) -> None:
    folder.mkdir()
    (folder / NEW_DATABASE).touch()
    (folder / f"{NEW_DATABASE}-journal").touch()
    with pytest.raises(NotAKnowledgeBaseError):
        KnowledgeBase.open(folder)
    with KnowledgeBase.open(folder, create=True) as kb:
        assert kb.counts()["documents"] == 0
    assert not list(folder.glob(f"{NEW_DATABASE}*"))


@pytest.mark.parametrize("size", [0, 1, 50])
@pytest.mark.parametrize("create", [False, True])
def test_a_file_that_lost_its_content_is_an_error_and_stays(
    base: Path, size: int, create: bool
) -> None:
    path = base / DATABASE_NAME
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(KnowledgeBaseError, match="cannot be used") as caught:
        KnowledgeBase.open(base, create=create)
    assert "index again" in caught.value.hint
    assert path.stat().st_size == size


def test_a_file_that_is_no_database_is_a_clear_error(base: Path) -> None:
    (base / DATABASE_NAME).write_bytes(b"\x00garbage" * 1000)
    with pytest.raises(KnowledgeBaseError, match="cannot be used"):
        KnowledgeBase.open(base)


def test_a_damaged_page_is_a_clear_error(base: Path) -> None:
    path = base / DATABASE_NAME
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(KnowledgeBaseError, match="cannot be used"):
        with KnowledgeBase.open(base) as kb:
            kb.store.documents(["s/1"])


def test_a_second_writer_is_refused_and_readers_are_not(base: Path) -> None:
    with KnowledgeBase.open(base, writable=True):
        with pytest.raises(KnowledgeBaseLockedError, match="in this process already"):
            KnowledgeBase.open(base, writable=True)
        with KnowledgeBase.open(base) as reader:
            assert reader.counts()["documents"] == 1


def test_the_lock_is_free_after_closing_and_after_a_failed_open(base: Path) -> None:
    with pytest.raises(EmbedderMismatchError):
        KnowledgeBase.open(base, writable=True, embedder=HashingEmbedder(32))
    for _ in range(2):
        KnowledgeBase.open(base, writable=True).close()


def test_a_base_opened_for_reading_cannot_be_written(base: Path) -> None:
    with KnowledgeBase.open(base) as kb:
        with pytest.raises(KnowledgeBaseError, match="opened for reading"):
            kb.delete_documents(["s/1"])


def test_a_closed_base_says_so(base: Path) -> None:
    kb = KnowledgeBase.open(base)
    kb.close()
    kb.close()
    with pytest.raises(KnowledgeBaseError, match="is closed"):
        kb.counts()


@pytest.mark.parametrize("other", [HashingEmbedder(32), TurnedEmbedder()])
def test_another_embedder_is_refused_with_the_command_that_helps(
    base: Path, other: HashingEmbedder
) -> None:
    with pytest.raises(EmbedderMismatchError) as caught:
        KnowledgeBase.open(base, embedder=other)
    assert caught.value.hint.endswith(f"hoptrail reembed --kb {base} --embedder {other.name}")


def test_without_an_embedder_only_questions_cannot_be_embedded(base: Path) -> None:
    with KnowledgeBase.open(base) as kb:
        assert len(kb.index.doc_ids) == 1
        with pytest.raises(KnowledgeBaseError, match="without an embedder"):
            kb.embed_query("Who?")


def test_a_question_is_embedded_once(base: Path) -> None:
    counting = CountingEmbedder()
    with KnowledgeBase.open(base, embedder=counting) as kb:
        first, second = kb.embed_query("Who?"), kb.embed_query("Who?")
    assert counting.texts.count("Who?") == 1
    np.testing.assert_array_equal(first, second)


def test_a_base_of_the_fifth_format_knows_no_places_until_it_is_written(base: Path) -> None:
    chunk = passage("s/9", "Nine", "Some words.")
    with KnowledgeBase.open(base, writable=True) as new:
        new.put_document(Document("s/9", "Nine", "Some words.", "s"), [chunk])
        held = list(new.iter_chunks())
    with closing(sqlite3.connect(base / DATABASE_NAME)) as connection:
        for table in ("chunks", "replaced_chunks"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN places")
        connection.execute("PRAGMA user_version = 5")
        connection.commit()
    with KnowledgeBase.open(base) as old:
        assert list(old.iter_chunks()) == held
        assert old.store.chunks([chunk.id])[0].place is None
        with old.private_copy() as copy:
            assert list(copy.iter_chunks()) == held
    with KnowledgeBase.open(base, writable=True) as written:
        assert list(written.iter_chunks()) == held


def test_a_base_that_was_moved_is_called_by_its_new_folder(tmp_path: Path) -> None:
    KnowledgeBase.open(tmp_path / "first", create=True).close()
    (tmp_path / "first").rename(tmp_path / "second")
    with KnowledgeBase.open(tmp_path / "second") as kb:
        assert kb.name == kb.info()["name"] == "second"
