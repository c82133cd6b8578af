"""Documents that an older base has under other ids are found again, and not paid for again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.testing import HashingEmbedder

NLP = IndexOptions(extractor="nlp")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "examples" / "articles"
    folder.mkdir(parents=True)
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(f"Edda Thorn founded the {name} Guild in Varde.")
    return folder


@pytest.fixture
def old(tmp_path: Path, folder: Path) -> Path:
    """Make a base as 0.1.0 left it, which was made in the folder `work`."""
    with KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder(), create=True) as kb:
        Indexer(kb).index([folder], NLP)
        for path in sorted(folder.iterdir()):
            kb.rename_document(f"articles/{path.name}", f"examples/articles/{path.name}")
        Indexer(kb).index([], NLP)
    with closing(sqlite3.connect(tmp_path / "kb" / DATABASE_NAME)) as file, file:
        file.execute("UPDATE documents SET source = id, uri = id")
        for table in ("sources", "file_stamps", "former_ids"):
            file.execute(f"DROP TABLE {table}")
        file.execute("PRAGMA user_version = 6")
    return tmp_path / "kb"


def opened(old: Path) -> KnowledgeBase:
    return KnowledgeBase.open(old, embedder=HashingEmbedder(), writable=True)


@pytest.mark.parametrize("place", ["work", "work/examples", ""])
def test_loose_files_get_their_new_ids_and_keep_what_was_read(
    old: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path / place)
    with opened(old) as kb:
        before = [str(extraction) for *_, extraction in kb.mentions()]
        assert Indexer(kb).forecast([folder], NLP).chunks == 0

        report = Indexer(kb).sync(folder, NLP)

        assert (report.documents.moved, report.documents.deleted) == (3, 0)
        assert list(kb.content_hashes()) == [f"articles/{name}.txt" for name in "abc"]
        assert [str(extraction) for *_, extraction in kb.mentions()] == before
        assert kb.missing_documents(["examples/articles/a.txt"]) == set()


def test_changed_and_gone_files_of_before_are_known(old: Path, folder: Path) -> None:
    (folder / "b.txt").write_text("Signe Holm built the tower of Varde.")
    (folder / "c.txt").unlink()
    with opened(old) as kb:
        report = Indexer(kb).sync(folder, NLP)

        assert (report.documents.moved, report.documents.replaced) == (1, 1)
        assert report.deleted == ("examples/articles/c.txt",)
        assert list(kb.content_hashes()) == ["articles/a.txt", "articles/b.txt"]


def test_a_like_folder_elsewhere_takes_nothing_over(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "play" / "examples" / "articles"
    other.mkdir(parents=True)
    (other / "a.txt").write_text("Quite another text about the sea.")
    monkeypatch.chdir(tmp_path)
    with opened(old) as kb:
        Indexer(kb).sync(other, NLP)

        assert list(kb.content_hashes()) == [
            "articles/a.txt",
            *(f"examples/articles/{name}.txt" for name in "abc"),
        ]


def test_an_older_base_is_read_without_being_changed(old: Path) -> None:
    with KnowledgeBase.open(old) as kb:
        assert kb.source_roots() == {}
        assert kb.missing_documents(["examples/articles/a.txt", "x"]) == {"x"}
    with closing(sqlite3.connect(old / DATABASE_NAME)) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (6,)
