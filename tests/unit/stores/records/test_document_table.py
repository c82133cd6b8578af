from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hoptrail.core.errors import UnknownNameError
from hoptrail.core.types import Chunk, Document, Extraction, NodeUsage, TablePart, TableRow
from hoptrail.stores.knowledge_base import KnowledgeBase

Put = Callable[[str, str, str], Chunk]


def document(*texts: str, title: str = "Title") -> tuple[Document, list[Chunk]]:
    """A document of several chunks, one per text."""
    whole = " ".join(texts)
    chunks = []
    for text in texts:
        start = whole.index(text)
        end = start + len(text)
        chunk_id = Chunk.make_id("s/1", start, end, text)
        chunks.append(Chunk(chunk_id, "s/1", title, text, start, end, 3))
    return Document("s/1", title, whole, "s"), chunks


def extract(kb: KnowledgeBase, chunk_id: str | None) -> None:
    kb.put_extraction("s/1", chunk_id, "nlp", Extraction(), NodeUsage())


def test_the_first_put_adds_and_the_same_again_changes_nothing(kb: KnowledgeBase) -> None:
    assert kb.put_document(*document("One.", "Two.")) == "added"
    assert kb.put_document(*document("One.", "Two.")) == "unchanged"


def test_another_cut_of_the_same_text_replaces(kb: KnowledgeBase) -> None:
    kb.put_document(*document("One.", "Two."))
    assert kb.put_document(*document("One. Two.")) == "replaced"
    assert [chunk.text for chunk in kb.iter_chunks()] == ["One. Two."]


def test_the_headings_that_a_chunk_stands_under_are_kept_and_follow_a_change(
    kb: KnowledgeBase,
) -> None:
    whole, chunks = document("One.", "Two.")
    kb.put_document(whole, chunks)
    kb.put_document(whole, [chunks[0], replace(chunks[1], section="Pay › Leave")])
    assert [chunk.section for chunk in kb.iter_chunks()] == ["", "Pay › Leave"]
    assert kb.store.chunks([chunks[1].id])[0].title_path == "Title › Pay › Leave"


def test_a_chunk_that_stays_keeps_its_extraction(kb: KnowledgeBase) -> None:
    whole, chunks = document("One.", "Two.")
    kb.put_document(whole, chunks)
    for chunk in chunks:
        extract(kb, chunk.id)
    assert kb.put_document(*document("One.", "Three.")) == "replaced"
    assert kb.extraction_status("nlp") == {chunks[0].id: "done"}


def test_a_new_title_discards_what_was_extracted_with_the_old(kb: KnowledgeBase) -> None:
    whole, chunks = document("One.")
    kb.put_document(whole, chunks)
    extract(kb, chunks[0].id)
    kb.put_document(*document("One.", title="Other"))
    assert kb.extraction_status("nlp") == {}
    assert [chunk.title for chunk in kb.store.chunks([chunks[0].id])] == ["Other"]


def test_new_text_discards_what_was_said_of_the_whole_document(kb: KnowledgeBase) -> None:
    kb.put_document(*document("One."))
    extract(kb, None)
    kb.put_document(*document("Two."))
    assert list(kb.mentions()) == []


def test_delete_takes_chunks_and_extractions_along(kb: KnowledgeBase, put: Put) -> None:
    whole, chunks = document("One.")
    kb.put_document(whole, chunks)
    extract(kb, chunks[0].id)
    other = put("s/2", "Other", "Text.")
    kb.delete_documents(["s/1"])
    assert [chunk.id for chunk in kb.iter_chunks()] == [other.id]
    assert list(kb.mentions()) == []
    assert list(kb.content_hashes()) == ["s/2"]


def test_an_unknown_id_deletes_nothing_and_suggests_a_near_one(kb: KnowledgeBase, put: Put) -> None:
    put("s/first", "One", "Text.")
    with pytest.raises(UnknownNameError, match="did you mean 's/first'"):
        kb.delete_documents(["s/first", "s/frist"])
    assert list(kb.content_hashes()) == ["s/first"]


@pytest.mark.parametrize("name", ["docs/xyz.md", "docs/terms.md"])
def test_a_folder_and_an_ending_make_no_ids_alike(kb: KnowledgeBase, put: Put, name: str) -> None:
    put("docs/recipes.md", "One", "Text.")
    with pytest.raises(UnknownNameError) as caught:
        kb.delete_documents([name])
    assert "did you mean" not in caught.value.hint


def test_chunks_come_by_document_and_place(kb: KnowledgeBase, put: Put) -> None:
    put("t/1", "T", "Last.")
    kb.put_document(*document("Zwei.", "Acht.", "Eins."))
    assert [chunk.text for chunk in kb.iter_chunks()] == ["Zwei.", "Acht.", "Eins.", "Last."]


def test_an_error_undoes_the_whole_transaction(kb: KnowledgeBase, put: Put) -> None:
    with pytest.raises(UnknownNameError):
        with kb.transaction():
            put("s/1", "One", "Text.")
            kb.delete_documents(["s/2"])
    assert kb.counts()["documents"] == 0


def test_a_document_comes_back_as_it_was(kb: KnowledgeBase) -> None:
    whole = Document("s/ü 1", "Tïtle", "a\0b\n\ttext 😀", "s", "file:///x", {"page": "3"})
    kb.put_document(whole, [])
    assert kb.store.documents(["s/ü 1"]) == [whole]


def placed(*places: tuple[int, str]) -> tuple[Document, list[Chunk]]:
    whole, (chunk,) = document("One. Two.")
    return replace(whole, places=places), [replace(chunk, places=places)]


def test_places_of_chunks_are_kept(kb: KnowledgeBase) -> None:
    whole, chunks = placed((0, "page 1"), (5, "page 2"))
    kb.put_document(whole, chunks)
    assert list(kb.iter_chunks()) == chunks
    (read,) = kb.store.chunks([chunks[0].id])
    assert (read.place, read.place_of(5, 9)) == ("pages 1-2", "page 2")


def test_tables_of_chunks_are_kept_and_renewed(kb: KnowledgeBase) -> None:
    whole, (chunk,) = document("Item: Rye; Price: 4")
    tables = (TablePart(1, "Tariffs", ("Item", "Price"), (TableRow(0, 19, ("Rye", "4")),)),)
    kb.put_document(whole, [replace(chunk, tables=tables)])
    assert [one.tables for one in kb.iter_chunks()] == [tables]
    renamed = (replace(tables[0], name="Prices"),)
    kb.put_document(whole, [replace(chunk, tables=renamed)])
    assert [one.tables for one in kb.iter_chunks()] == [renamed]


def test_places_that_change_alone_are_renewed(kb: KnowledgeBase) -> None:
    kb.put_document(*placed((0, "page 1")))
    whole, chunks = placed((0, "page 2"))
    assert kb.put_document(whole, chunks) == "unchanged"
    assert [chunk.place for chunk in kb.iter_chunks()] == ["page 2"]
