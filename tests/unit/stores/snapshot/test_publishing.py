from __future__ import annotations

import errno
import resource
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.errors import EmbedderMismatchError, KnowledgeBaseError
from hoptrail.core.types import Chunk, Entity
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

Put = Callable[[str, str, str], Chunk]
Publish = Callable[[], int]


class UndoneError(Exception):
    """Ends a transaction that is to be undone."""


def test_nothing_is_shown_before_it_is_published(
    kb: KnowledgeBase, put: Put, publish: Publish
) -> None:
    put("s/1", "One", "Text.")
    assert len(kb.index.chunk_ids) == 0
    assert publish() == 1
    assert len(kb.index.chunk_ids) == 1


def test_a_base_without_changes_keeps_its_generation(
    kb: KnowledgeBase, put: Put, publish: Publish
) -> None:
    put("s/1", "One", "Text.")
    first = publish()
    put("s/1", "One", "Text.")
    kb.replace_graph([], [], [])
    assert publish() == first
    put("s/2", "Two", "Text.")
    assert publish() == first + 1


def test_a_reader_takes_a_new_generation_up_when_it_refreshes(
    kb: KnowledgeBase, put: Put, publish: Publish, folder: Path
) -> None:
    put("s/1", "One", "Text.")
    publish()
    with KnowledgeBase.open(folder) as reader:
        assert list(reader.index.doc_ids) == ["s/1"]
        assert not reader.refresh()
        put("s/2", "Two", "Text.")
        publish()
        assert list(reader.index.doc_ids) == ["s/1"]
        assert reader.refresh()
        assert list(reader.index.doc_ids) == ["s/1", "s/2"]


def test_a_pinned_thread_stays_at_its_generation_while_another_refreshes(
    kb: KnowledgeBase, put: Put, publish: Publish
) -> None:
    put("s/1", "One", "Text.")
    publish()
    with kb.pinned():
        before = kb.index
        put("s/2", "Two", "Text.")
        publish()
        seen: list[int] = []
        other = threading.Thread(target=lambda: seen.append(kb.generation))
        other.start()
        other.join()
        assert kb.index is before
        assert seen == [2]
    assert kb.generation == 2


@pytest.mark.parametrize("damage", ["missing", "cut short", "incomplete"])
def test_a_reader_builds_a_cache_that_is_not_usable(
    kb: KnowledgeBase, put: Put, publish: Publish, folder: Path, damage: str
) -> None:
    put("s/1", "One", "Some text of words.")
    kb.replace_graph([Entity("e1", "One")], [], [])
    publish()
    place = folder / "cache" / "generation-1-v8"
    if damage == "missing":
        shutil.rmtree(place)
    elif damage == "cut short":
        vectors = place / "told_vectors.npy"
        vectors.write_bytes(vectors.read_bytes()[:-100])
    else:
        (place / "entity_ids.column").unlink()
    with KnowledgeBase.open(folder) as reader:
        assert list(reader.index.entity_ids) == ["e1"]
        for kind in ("chunk", "entity", "relation", "word"):
            ids = reader.vectors(kind).search(np.ones(64, dtype=np.float32), 9)[0]
            expected = kb.vectors(kind).search(np.ones(64, dtype=np.float32), 9)[0]
            np.testing.assert_array_equal(ids, expected)


def test_a_cache_that_is_built_within_a_transaction_shows_what_others_see(
    kb: KnowledgeBase, put: Put, publish: Publish, folder: Path
) -> None:
    put("s/1", "One", "Text.")
    put("s/2", "Two", "Text.")
    publish()
    shutil.rmtree(folder / "cache")
    with pytest.raises(UndoneError), kb.transaction():
        kb.delete_documents(["s/2"])
        assert list(kb.index.doc_ids) == ["s/1", "s/2"]
        raise UndoneError
    with KnowledgeBase.open(folder) as reader:
        assert list(reader.index.doc_ids) == ["s/1", "s/2"]


def test_old_generations_and_leftovers_are_removed(
    kb: KnowledgeBase, put: Put, publish: Publish, folder: Path
) -> None:
    (folder / "cache").mkdir()
    (folder / "cache" / ".building-killed").mkdir()
    (folder / "cache" / "generation-1-v8").mkdir()  # of a publication that was killed
    for number in (1, 2):
        put(f"s/{number}", "Title", "Text.")
        publish()
    assert [path.name for path in (folder / "cache").iterdir()] == ["generation-2-v8"]
    assert len(kb.index.doc_ids) == 2


def test_embeddings_that_no_text_needs_are_forgotten(
    kb: KnowledgeBase, put: Put, publish: Publish
) -> None:
    put("s/1", "One", "First text.")
    put("s/2", "Two", "Second text.")
    publish()
    kb.delete_documents(["s/1"])
    publish()
    assert not kb.embeddings(["First text."]).any()
    assert kb.embeddings(["Second text."]).any()


def test_only_missing_texts_are_asked_for_and_each_once(
    kb: KnowledgeBase, put: Put, embedder: HashingEmbedder
) -> None:
    put("s/1", "One", "Same sentence. Other sentence.")
    put("s/2", "Two", "Same sentence.")
    kb.replace_graph([Entity("e1", "Name", description="What it is"), Entity("e2", "")], [], [])
    texts = kb.texts_without_vectors()
    assert sorted(texts) == [
        "Name: What it is",
        "One\nSame sentence. Other sentence.",
        "Other sentence.",
        "Same sentence.",
        "Two\nSame sentence.",
    ]
    kb.put_embeddings(texts[1:], embedder.embed(texts[1:]))
    assert kb.texts_without_vectors() == texts[:1]


def test_another_embedder_takes_over_when_it_is_published(
    kb: KnowledgeBase, put: Put, publish: Publish, folder: Path, embedder: HashingEmbedder
) -> None:
    put("s/1", "One", "Some text.")
    publish()
    other = HashingEmbedder(32)
    kb.change_embedder(other)
    texts = kb.texts_without_vectors()
    kb.put_embeddings(texts, other.embed(texts))
    with KnowledgeBase.open(folder, embedder=embedder) as reader:
        assert reader.vectors("chunk").dim == 64
        assert kb.publish() == 2
        with pytest.raises(EmbedderMismatchError):
            reader.refresh()
    with KnowledgeBase.open(folder, embedder=other) as reader:
        assert (reader.vectors("chunk").dim, len(reader.vectors("chunk"))) == (32, 1)


def test_a_change_of_embedder_that_was_cut_short_goes_on(
    folder: Path, embedder: HashingEmbedder
) -> None:
    with KnowledgeBase.open(folder, embedder=embedder, create=True) as kb:
        kb.replace_graph([Entity("e1", "One"), Entity("e2", "Two")], [], [])
        kb.put_embeddings(["One", "Two"], embedder.embed(["One", "Two"]))
        kb.publish()
    other = HashingEmbedder(32)
    with KnowledgeBase.open(folder, writable=True) as kb:
        kb.change_embedder(other)
        kb.put_embeddings(["One"], other.embed(["One"]))
    with KnowledgeBase.open(folder, embedder=embedder, writable=True) as kb:
        assert len(kb.vectors("entity")) == 2
    with KnowledgeBase.open(folder, writable=True) as kb:
        kb.change_embedder(other)
        assert kb.texts_without_vectors() == ["Two"]


def test_a_full_disk_is_a_clear_error_and_nothing_is_lost(
    kb: KnowledgeBase, put: Put, publish: Publish
) -> None:
    put("s/1", "One", " ".join(f"Word{i} is here." for i in range(4000)))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    kb.put_embeddings(texts := kb.texts_without_vectors(), HashingEmbedder().embed(texts))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        with pytest.raises(KnowledgeBaseError, match="cannot be written"):
            kb.publish()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert publish() == 1
    assert len(kb.vectors("word")) == 4000


@pytest.mark.parametrize("is_published", [False, True])
def test_a_base_on_a_full_disk_is_read_from_temporary_files(
    kb: KnowledgeBase,
    put: Put,
    publish: Publish,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_published: bool,
) -> None:
    put("s/1", "One", "Text.")
    if is_published:
        publish()
    shutil.rmtree(folder / "cache", ignore_errors=True)
    save = np.save

    def save_elsewhere(path: Path, *arguments: object, **options: object) -> None:
        if folder in path.parents:
            raise OSError(errno.ENOSPC, "No space left on device")
        save(path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(np, "save", save_elsewhere)
    with KnowledgeBase.open(folder) as reader:
        assert list(reader.index.doc_ids) == ["s/1"] * is_published


def test_the_room_of_deleted_documents_is_given_back(
    kb: KnowledgeBase, put: Put, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoptrail.stores.records.database._LEAST_FREE", 4)
    put("s/1", "One", "word " * 40_000)
    publish()
    database = kb.path / "hoptrail.sqlite"
    kb.delete_documents(["s/1"])
    publish()
    with closing(sqlite3.connect(database)) as connection:
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    assert free == 0
    assert database.stat().st_size < 300_000
