from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.types import (
    Chunk,
    Document,
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    NodeUsage,
)
from hoptrail.core.types.document import ScannedPage, ScannedWord
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.backup import restore_backup, write_backup
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.stores.records.result_tables import FailedExtraction
from hoptrail.stores.records.schema import FORMAT_VERSION
from tests.ships import hashing_settings

Put = Callable[[str, str, str], Chunk]

EXTRACTION = Extraction(
    (ExtractedEntity("Ada", "person", "a mathematician", ("Lady Lovelace",)),),
    (ExtractedRelation("Ada", "wrote", "Notes", "Ada wrote the Notes.", 2.0),),
)


def test_a_result_comes_back_as_it_was(kb: KnowledgeBase, put: Put) -> None:
    chunk = put("s/1", "Ada", "Ada wrote the Notes.")
    kb.put_extraction("s/1", chunk.id, "nlp", EXTRACTION, NodeUsage())
    assert list(kb.mentions()) == [("s/1", chunk.id, "nlp", EXTRACTION)]


def test_a_failure_is_listed_until_a_later_try_mends_it(kb: KnowledgeBase, put: Put) -> None:
    chunk = put("s/1", "Ada", "Ada wrote the Notes.")
    kb.put_extraction("s/1", chunk.id, "llm", None, NodeUsage(), "no JSON in the reply")
    assert kb.extraction_status("llm") == {chunk.id: "failed"}
    failure = FailedExtraction("s/1", chunk.id, "llm", "no JSON in the reply")
    assert kb.failed_extractions() == [failure]
    kb.put_extraction("s/1", chunk.id, "llm", EXTRACTION, NodeUsage())
    assert kb.extraction_status("llm") == {chunk.id: "done"}
    assert kb.failed_extractions() == []


def test_every_try_is_paid_for(kb: KnowledgeBase, put: Put) -> None:
    chunk = put("s/1", "Ada", "Ada wrote the Notes.")
    for extraction in (None, EXTRACTION):
        kb.put_extraction("s/1", chunk.id, "llm", extraction, NodeUsage(1, 10, 5, 0.5, 0.25))
    (row,) = kb.ledger()
    assert (row.llm_calls, row.prompt_tokens, row.completion_tokens, row.usd) == (2, 20, 10, 0.5)


def test_the_ledger_counts_places_and_names_the_state(kb: KnowledgeBase, put: Put) -> None:
    done, failed = put("s/1", "Done", "Text."), put("s/2", "Failed", "Text.")
    put("s/3", "Stored", "Text.")
    for extractor in ("llm", "nlp"):
        kb.put_extraction("s/1", done.id, extractor, EXTRACTION, NodeUsage())
    kb.put_extraction("s/2", failed.id, "llm", None, NodeUsage(), "timeout")
    assert [(row.status, row.chunks, row.extracted, row.failed) for row in kb.ledger()] == [
        ("extracted", 1, 1, 0),
        ("failed", 1, 0, 1),
        ("stored", 1, 0, 0),
    ]


def test_mentions_come_in_canonical_order(kb: KnowledgeBase, put: Put) -> None:
    second, first = put("s/2", "B", "Text."), put("s/1", "A", "Text.")
    kb.put_extraction("s/2", second.id, "nlp", EXTRACTION, NodeUsage())
    kb.put_extraction("s/1", first.id, "nlp", EXTRACTION, NodeUsage())
    kb.put_extraction("s/1", first.id, "llm", EXTRACTION, NodeUsage())
    kb.put_extraction("s/1", None, "triples", EXTRACTION, NodeUsage())
    places = [(doc_id, chunk_id, extractor) for doc_id, chunk_id, extractor, _ in kb.mentions()]
    assert places == [
        ("s/1", None, "triples"),
        ("s/1", first.id, "llm"),
        ("s/1", first.id, "nlp"),
        ("s/2", second.id, "nlp"),
    ]


def test_a_whole_documents_status_is_under_its_own_id(kb: KnowledgeBase, put: Put) -> None:
    put("s/1", "Ada", "Text.")
    kb.put_extraction("s/1", None, "triples", EXTRACTION, NodeUsage())
    assert kb.extraction_status("triples") == {"s/1": "done"}


@pytest.mark.parametrize("only_first", [True, False])
def test_dropping_takes_one_extractor_and_leaves_the_others(
    kb: KnowledgeBase, put: Put, only_first: bool
) -> None:
    chunks = [put("s/1", "A", "Text."), put("s/2", "B", "Text.")]
    for chunk in chunks:
        for extractor in ("llm", "nlp"):
            kb.put_extraction(chunk.doc_id, chunk.id, extractor, EXTRACTION, NodeUsage())
    kb.drop_extractions("llm", [chunks[0].id] if only_first else None)
    assert set(kb.extraction_status("llm")) == ({chunks[1].id} if only_first else set())
    assert len(kb.extraction_status("nlp")) == 2


def test_half_a_surrogate_pair_from_a_model_is_stored_as_a_question_mark(
    kb: KnowledgeBase, put: Put
) -> None:
    chunk = put("s/1", "Ada", "Text.")
    broken = Extraction((ExtractedEntity("Ada \ud83d"),))
    kb.put_extraction("s/1", chunk.id, "llm", broken, NodeUsage())
    (mention,) = kb.mentions()
    assert mention[3].entities[0].name == "Ada ?"


TEXT = "The mill was built by Ida Holm."
BOX = (1, 2, 30, 2, 30, 9, 1, 9)


def scanned(doc_id: str, picture: str = "p1", text: str = TEXT) -> Document:
    words = (ScannedWord(0, 3, BOX, 1.0), ScannedWord(4, 8, BOX, 0.5))
    page = ScannedPage(0, "page 1", picture, 100, 200, words)
    return Document(doc_id, "Mill", text, doc_id.split("/")[0], scans=(page,))


def put(kb: KnowledgeBase, document: Document) -> None:
    kb.put_document(document, chunk_document(document))


@pytest.fixture
def mill(kb: KnowledgeBase) -> KnowledgeBase:
    """Give a base with one scanned document."""
    kb.put_scan("p1", "reader-1", '{"lines": []}', b"webp")
    put(kb, scanned("s/mill"))
    return kb


def test_what_was_recognised_is_known_to_its_recogniser_alone(mill: KnowledgeBase) -> None:
    assert mill.known_scans("reader-1") == {"p1"}
    assert mill.known_scans("reader-2") == set()
    assert mill.scan("p1") == '{"lines": []}'
    assert mill.scan("p2") is None


def test_a_document_has_its_words_with_their_boxes(mill: KnowledgeBase) -> None:
    assert mill.document_scans("s/mill") == list(scanned("s/mill").scans)
    assert mill.document_scans("s/mill", 7) == []
    assert mill.shown_picture("p1") == b"webp"


def test_a_passage_tells_which_of_its_words_are_unsure(mill: KnowledgeBase) -> None:
    (chunk,) = mill.iter_chunks()
    assert chunk.unsure == ((4, 8),)
    assert mill.store.chunks([chunk.id])[0].unsure == ((4, 8),)


def test_a_picture_is_gone_with_the_last_document_that_shows_it(mill: KnowledgeBase) -> None:
    put(mill, scanned("s/copy"))
    mill.delete_documents(["s/mill"])
    assert mill.shown_picture("p1") == b"webp"
    mill.delete_documents(["s/copy"])
    assert mill.shown_picture("p1") is None
    assert mill.scan("p1") is None


def test_the_pages_of_a_replaced_document_are_the_new_ones(mill: KnowledgeBase) -> None:
    mill.put_scan("p2", "reader-1", "{}", b"new")
    put(mill, scanned("s/mill", "p2", "The mill was sold to Ida Holm."))
    mill.forget_unused_scans()
    assert [page.picture for page in mill.document_scans("s/mill")] == ["p2"]
    assert mill.scan("p1") is None


def test_a_picture_without_text_stays_known(mill: KnowledgeBase) -> None:
    mill.put_scan("photo", "reader-1", "{}", b"")
    mill.forget_unused_scans()
    assert "photo" in mill.known_scans("reader-1")


def test_a_renamed_document_keeps_its_pages(mill: KnowledgeBase) -> None:
    mill.rename_document("s/mill", "s/moved")
    assert mill.document_scans("s/mill") == []
    assert mill.document_scans("s/moved") == list(scanned("s/mill").scans)
    (chunk,) = mill.iter_chunks()
    assert chunk.unsure == ((4, 8),)


def test_a_copy_of_some_documents_has_their_words(mill: KnowledgeBase, tmp_path: Path) -> None:
    put(mill, scanned("s/other", "p9"))
    (tmp_path / "part").mkdir()
    mill.copy_documents(tmp_path / "part", ["s/mill"])
    with KnowledgeBase.open(tmp_path / "part") as part:
        assert part.document_scans("s/mill") == list(scanned("s/mill").scans)
        assert part.document_scans("s/other") == []


def test_a_private_copy_knows_what_was_recognised(mill: KnowledgeBase) -> None:
    with mill.private_copy() as copy:
        assert copy.known_scans("reader-1") == {"p1"}
        assert copy.shown_picture("p1") is None  # most of the file, and nobody looks at it


def test_a_restored_base_shows_its_pages(mill: KnowledgeBase, tmp_path: Path) -> None:
    write_backup(mill.path, tmp_path / "kb.zip")
    restore_backup(tmp_path / "kb.zip", tmp_path / "restored")
    with KnowledgeBase.open(tmp_path / "restored") as restored:
        assert restored.document_scans("s/mill") == list(scanned("s/mill").scans)
        assert restored.shown_picture("p1") == b"webp"


def test_a_base_that_is_taken_in_brings_its_pictures(
    mill: KnowledgeBase, publish: Callable[[], int], tmp_path: Path
) -> None:
    publish()
    mill.close()
    settings = hashing_settings()
    with Hoptrail.open(tmp_path / "all", settings=settings, create=True, writable=True) as all_:
        all_.merge(mill.path)
        assert all_.page_picture("s/mill", 0) == b"webp"
        (page,) = all_.quoted_pages("s/mill", 4, 8)
        assert [word["unsure"] for word in page["words"]] == [True]


def test_a_base_of_an_older_format_gets_the_tables_when_it_is_written(
    mill: KnowledgeBase, folder: Path
) -> None:
    mill.close()
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        for table in ("document_scans", "scan_pictures", "scans"):
            connection.execute(f"DROP TABLE {table}")
        for table in ("chunks", "replaced_chunks"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN unsure")
        connection.execute("PRAGMA user_version = 8")
        connection.commit()
    with KnowledgeBase.open(folder) as old:
        (chunk,) = old.iter_chunks()
        assert (chunk.unsure, old.document_scans("s/mill"), old.known_scans("reader-1")) == (
            (),
            [],
            set(),
        )
    with KnowledgeBase.open(folder, writable=True) as new:
        put(new, scanned("s/mill"))
        assert new.document_scans("s/mill")
        assert new.info()["format_version"] == FORMAT_VERSION
