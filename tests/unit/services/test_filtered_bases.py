"""Knowledge bases under a filter: derived once, found again, gone with their generation."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.document_filter import DocumentFilter
from hoptrail.core.errors import InputError, KnowledgeBaseError, UnknownNameError
from hoptrail.core.filter_text import parse_filter
from hoptrail.core.settings import Settings
from hoptrail.core.types import Chunk, Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.services.filtered_bases import check_filter, filter_fields, filtered_base
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.embedders import CountingEmbedder
from tests.ships import FACTS


def document(title: str, text: str, **metadata: str) -> Document:
    return Document(f"t/{title}", title, text, "t", metadata=metadata)


def index(kb: KnowledgeBase, *documents: Document) -> None:
    Indexer(kb, settings=Settings()).index(documents, IndexOptions(extractor="nlp"))


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path / "kb", embedder=CountingEmbedder(), create=True) as base:
        levels = ("public", "public", "private")
        index(
            base,
            *(
                document(title, text, level=level)
                for (title, text), level in zip(FACTS.items(), levels, strict=True)
            ),
        )
        yield base


PUBLIC = parse_filter("level = public")


def titles(base: KnowledgeBase) -> list[str]:
    return [str(doc_id).removeprefix("t/") for doc_id in base.index.doc_ids]


def folders(kb: KnowledgeBase) -> list[Path]:
    return sorted((kb.path / "cache").glob("filter-*"))


def test_it_holds_the_allowed_documents_alone(kb: KnowledgeBase) -> None:
    assert titles(filtered_base(kb, PUBLIC).store) == ["Alder Yard", "Morning Tern"]
    assert titles(filtered_base(kb, parse_filter("not level = public")).store) == ["Edda Thorn"]


def test_it_is_derived_once_in_a_process(kb: KnowledgeBase) -> None:
    assert filtered_base(kb, PUBLIC) is filtered_base(kb, parse_filter("level='public'"))


def test_another_process_finds_what_one_derived(kb: KnowledgeBase) -> None:
    filtered_base(kb, PUBLIC)
    (place,) = folders(kb)
    written = (place / "hoptrail.sqlite").stat().st_ino
    with KnowledgeBase.open(kb.path, embedder=HashingEmbedder()) as again:
        assert titles(filtered_base(again, PUBLIC).store) == ["Alder Yard", "Morning Tern"]
    assert (place / "hoptrail.sqlite").stat().st_ino == written


def test_vectors_of_unchanged_texts_are_taken_from_the_whole(kb: KnowledgeBase) -> None:
    assert isinstance(kb.embedder, CountingEmbedder)
    kb.embedder.texts.clear()
    part = filtered_base(kb, parse_filter("title in ('Morning Tern')")).store
    assert len(part.vectors("chunk")) == 1
    assert [text for text in kb.embedder.texts if "Morning Tern" in text] == []


def test_a_new_generation_has_filters_of_its_own(kb: KnowledgeBase) -> None:
    before = filtered_base(kb, PUBLIC)
    index(kb, document("Quay", "The quay lies in Port Selwick.", level="public"))
    assert folders(kb) == []
    assert titles(filtered_base(kb, PUBLIC).store) == ["Alder Yard", "Morning Tern", "Quay"]
    assert titles(before.store) == ["Alder Yard", "Morning Tern"]


def test_changed_metadata_alone_make_a_new_generation(kb: KnowledgeBase) -> None:
    assert len(titles(filtered_base(kb, PUBLIC).store)) == 2
    index(kb, document("Edda Thorn", FACTS["Edda Thorn"], level="public"))
    assert len(titles(filtered_base(kb, PUBLIC).store)) == 3


def test_the_same_metadata_change_nothing(kb: KnowledgeBase) -> None:
    generation = kb.generation
    index(kb, document("Edda Thorn", FACTS["Edda Thorn"], level="private"))
    assert kb.generation == generation


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("level = secret", InputError, "no document matches the filter"),
        ("levle = public", UnknownNameError, "unknown field 'levle' .did you mean 'level'"),
        ("author = x", UnknownNameError, "known: doc_id, language, level, source, title"),
    ],
)
def test_a_filter_that_allows_nothing_is_an_error(
    kb: KnowledgeBase, text: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        check_filter(kb, parse_filter(text))
    with pytest.raises(error, match=message):
        filtered_base(kb, parse_filter(text))


def test_checking_a_filter_derives_nothing(kb: KnowledgeBase) -> None:
    check_filter(kb, PUBLIC)

    assert folders(kb) == []


def test_an_unfinished_state_is_not_filtered(kb: KnowledgeBase) -> None:
    known = filtered_base(kb, PUBLIC)
    new = document("Quay", "The quay.", level="public")
    chunk = Chunk(Chunk.make_id(new.id, 0, 9, new.text), new.id, new.title, new.text, 0, 9)
    kb.put_document(new, [chunk])
    assert filtered_base(kb, PUBLIC) is known
    with pytest.raises(KnowledgeBaseError, match="documents are being indexed"):
        filtered_base(kb, parse_filter("level = private"))


def test_filters_that_were_not_used_for_longest_are_closed(kb: KnowledgeBase) -> None:
    first = filtered_base(kb, PUBLIC)
    for number in range(8):
        other = DocumentFilter.model_validate({"field": "level", "in": ["public", number]})
        filtered_base(kb, other)
    assert filtered_base(kb, PUBLIC) is not first
    assert titles(first.store) == ["Alder Yard", "Morning Tern"]  # still asked by somebody
    del first
    gc.collect()


def test_where_the_base_cannot_be_written_a_filter_lasts_as_long_as_it_is_used(
    kb: KnowledgeBase,
) -> None:
    assert kb.index.generation == 1
    shutil.rmtree(kb.path / "cache")
    with KnowledgeBase.open(kb.path, embedder=HashingEmbedder()) as reader:
        assert reader.index.generation == 1
        shutil.rmtree(kb.path / "cache", ignore_errors=True)
        place = filtered_base(reader, PUBLIC).store.path
        assert place.is_dir()
        assert kb.path not in place.parents
    del reader
    gc.collect()  # the base, then what was kept for it
    gc.collect()
    assert not place.exists()


def test_fields_are_told_with_values(kb: KnowledgeBase) -> None:
    assert filter_fields(kb)["level"] == {"documents": 3, "values": ["public", "private"]}
