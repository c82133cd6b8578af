"""A base to which documents were added or deleted one by one is that of those that are there."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.progress import NoProgress
from hoptrail.core.types import Document
from hoptrail.indexing import derivation
from hoptrail.indexing.communities import building
from hoptrail.indexing.communities.building import CommunityBuilder
from hoptrail.indexing.derivation import delete_documents, derive_graph
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.options import CommunityOptions, IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.protocols import VectorKind
from hoptrail.stores.snapshot import vector_extension
from hoptrail.stores.snapshot.arrays import load_arrays
from hoptrail.testing import HashingEmbedder

NLP = IndexOptions(extractor="nlp")
KINDS: tuple[VectorKind, ...] = ("chunk", "entity", "relation", "word")
ROUNDED: dict[VectorKind, float] = dict.fromkeys(KINDS, 1e-6)
TABLES = ("documents", "chunks", "entities", "entity_names", "relations", "merges")
LEFT_OVER = ("unpublished", "replaced_chunks", "replaced_documents")
Articles = dict[str, Document]
OpenKb = Callable[[str], KnowledgeBase]


@pytest.fixture
def more(articles: Articles) -> list[Document]:
    """Documents with names of the articles, a namesake of another kind and time, and repetition."""
    texts = {
        "ada_2": "Ada Lovelace was born in 1815. Ada Lovelace married William King in London.",
        "ada_3": "Ada Lovelace was born in 1990 in Oslo. She is a singer.",
        "again": "Ada Lovelace was born in London. The WHO met in 1948.",
        "london": "London was a horse. London won the Epsom Derby in 1848.",
        "a": "The World Health Organization (WHO) has an office in Oslo, Norway.",
    }
    return [Document(f"more/{id_}", id_.title(), text, "more") for id_, text in texts.items()]


class KilledError(Exception):
    """Stands for a signal that ends the process."""


class KilledAt(NoProgress):
    """Ends a run where a stage begins."""

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def start(self, stage: str, total: int | None) -> None:
        if stage == self._stage:
            raise KilledError


def index_one_by_one(kb: KnowledgeBase, documents: Iterable[Document]) -> None:
    for document in documents:
        Indexer(kb).index([document], NLP)


def rows(kb: KnowledgeBase, table: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(kb.path / "hoptrail.sqlite")
    try:
        return connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
    finally:
        connection.close()


def tables_of(kb: KnowledgeBase) -> dict[str, list[tuple[Any, ...]]]:
    return {table: rows(kb, table) for table in (*TABLES, *LEFT_OVER)}


def hashes(kb: KnowledgeBase) -> set[str]:
    return {row[1] for row in rows(kb, "embeddings")}


def arrays_of(kb: KnowledgeBase) -> dict[str, object]:
    """Return the arrays but for those in which rows of vectors may come in any order."""
    (folder,) = (kb.path / "cache").iterdir()
    by_row = ("_vectors", "_vector_of", "_digests", "_lengths", "word_sentences.indices")
    arrays = {name: one for name, one in load_arrays(folder).items() if not name.endswith(by_row)}
    # Ids are as wide as the longest one that ever was there.
    return {
        name: (one.dtype.kind if one.dtype.kind == "U" else one.dtype.str, one.tolist())
        for name, one in arrays.items()
    }


def vectors_of(kb: KnowledgeBase, kind: VectorKind) -> FloatArray:
    index, words = kb.index, kb.lexicon.words
    ids = {"chunk": index.chunk_ids, "entity": index.entity_ids, "relation": index.relation_ids}
    return kb.vectors(kind).vectors(ids.get(kind, words))


def matrix_file(kb: KnowledgeBase, kind: VectorKind) -> Path:
    (folder,) = (kb.path / "cache").iterdir()
    name = "told" if kind in ("relation", "word") else kind
    return folder / f"{name}_vectors.npy"


@pytest.fixture
def whole(open_kb: OpenKb, articles: Articles, more: list[Document]) -> KnowledgeBase:
    kb = open_kb("whole")
    Indexer(kb).index([*articles.values(), *more], NLP)
    return kb


@pytest.fixture(params=["added", "deleted"])
def pair(
    request: pytest.FixtureRequest, open_kb: OpenKb, articles: Articles, more: list[Document]
) -> tuple[KnowledgeBase, KnowledgeBase]:
    """A base to which documents were added, or of which they were deleted, and one of its own."""
    kb, whole = open_kb("changed"), open_kb("its own")
    if request.param == "added":
        Indexer(kb).index(list(articles.values()), NLP)
        index_one_by_one(kb, more)
        Indexer(whole).index([*articles.values(), *more], NLP)
        return kb, whole
    Indexer(kb).index([*articles.values(), *more[:-1]], NLP)
    Indexer(kb).index(more[-1:], NLP)
    for document in (more[1], more[0], more[4]):
        Indexer(kb).delete([document.id])
    Indexer(kb).delete([more[2].id, more[3].id])
    Indexer(whole).index(list(articles.values()), NLP)
    return kb, whole


def test_its_tables_and_arrays_are_those_of_all(pair: tuple[KnowledgeBase, KnowledgeBase]) -> None:
    changed, whole = pair
    assert tables_of(changed) == tables_of(whole)
    assert {table for table, held in tables_of(whole).items() if not held} == set(LEFT_OVER)
    assert hashes(changed) == hashes(whole)  # it keeps no vector that no text needs
    assert arrays_of(changed) == arrays_of(whole)
    assert (changed.schema(), changed.description) == (whole.schema(), whole.description)


@pytest.mark.parametrize("kind", KINDS)
def test_its_vectors_are_those_of_all(
    pair: tuple[KnowledgeBase, KnowledgeBase], kind: VectorKind
) -> None:
    found, wanted = (vectors_of(kb, kind) for kb in pair)
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() < ROUNDED[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_finds_what_it_finds_in_all(
    pair: tuple[KnowledgeBase, KnowledgeBase], kind: VectorKind
) -> None:
    questions = np.random.default_rng(3).normal(size=(4, 64)).astype(np.float32)
    found, wanted = (kb.vectors(kind).search_many(questions, 7) for kb in pair)
    assert [ids.tolist() for ids, _ in found] == [ids.tolist() for ids, _ in wanted]


def test_vectors_are_added_to_the_file_of_the_generation_before(
    kb: KnowledgeBase, articles: Articles, more: list[Document]
) -> None:
    Indexer(kb).index(list(articles.values()), NLP)
    before = {kind: os.stat(matrix_file(kb, kind)) for kind in KINDS}
    Indexer(kb).index(more[:1], NLP)
    for kind in KINDS:
        after = os.stat(matrix_file(kb, kind))
        assert after.st_ino == before[kind].st_ino
        assert after.st_size > before[kind].st_size


def test_readers_of_the_generation_before_are_not_disturbed(
    kb: KnowledgeBase, articles: Articles, more: list[Document]
) -> None:
    Indexer(kb).index(list(articles.values()), NLP)
    with KnowledgeBase.open(kb.path, embedder=HashingEmbedder()) as reader:
        before = [vectors_of(reader, kind) for kind in KINDS]
        index_one_by_one(kb, more)
        assert reader.generation == kb.generation - len(more)
        for kind, wanted in zip(KINDS, before, strict=True):
            assert np.array_equal(vectors_of(reader, kind), wanted)
        assert reader.refresh()
        assert np.array_equal(vectors_of(reader, "word"), vectors_of(kb, "word"))


def test_a_publication_that_was_undone_leaves_what_was_there(
    kb: KnowledgeBase, whole: KnowledgeBase, articles: Articles, more: list[Document]
) -> None:
    Indexer(kb).index(list(articles.values()), NLP)
    before, generation = arrays_of(kb), kb.generation
    with pytest.raises(KilledError), kb.transaction():
        index_one_by_one(kb, more[:2])
        raise KilledError
    with KnowledgeBase.open(kb.path) as reader:
        assert reader.generation == generation
        assert np.array_equal(vectors_of(reader, "word"), vectors_of(kb, "word"))
    index_one_by_one(kb, more)
    assert before != arrays_of(kb) == arrays_of(whole)
    for kind in KINDS:
        assert np.abs(vectors_of(kb, kind) - vectors_of(whole, kind)).max() < ROUNDED[kind]


def test_what_was_stored_before_a_kill_is_in_the_next_run(
    kb: KnowledgeBase, whole: KnowledgeBase, articles: Articles, more: list[Document]
) -> None:
    Indexer(kb).index(list(articles.values()), NLP)
    with pytest.raises(KilledError):
        Indexer(kb, progress=KilledAt("resolve")).index(more[:2], NLP)
    index_one_by_one(kb, more[2:])
    assert rows(kb, "relations") == rows(whole, "relations")
    assert arrays_of(kb) == arrays_of(whole)


def test_rows_that_are_left_behind_are_dropped_once_they_are_many(
    kb: KnowledgeBase,
    whole: KnowledgeBase,
    articles: Articles,
    more: list[Document],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vector_extension, "_LEFT_BEHIND", 0)
    monkeypatch.setattr(vector_extension, "_SHARE_LEFT", 0.0)
    Indexer(kb).index(list(articles.values()), NLP)
    before = os.stat(matrix_file(kb, "word")).st_ino
    index_one_by_one(kb, more)
    assert os.stat(matrix_file(kb, "word")).st_ino != before
    assert arrays_of(kb) == arrays_of(whole)
    assert len(load_arrays(matrix_file(kb, "word").parent)["told_vectors"]) == len(
        load_arrays(matrix_file(whole, "word").parent)["told_vectors"]
    )


def test_a_base_that_was_read_otherwise_is_derived_anew(
    kb: KnowledgeBase, whole: KnowledgeBase, articles: Articles, more: list[Document]
) -> None:
    given = [*articles.values(), *more]
    Indexer(kb).index(given[:-1], IndexOptions(extractor="none"))
    Indexer(kb).index(given[:1], NLP)
    Indexer(kb).index((), NLP)
    Indexer(kb).index(given[-1:], NLP)
    assert rows(kb, "entities") == rows(whole, "entities")
    assert arrays_of(kb) == arrays_of(whole)


def test_documents_may_be_replaced_and_deleted_in_between(
    kb: KnowledgeBase, whole: KnowledgeBase, articles: Articles, more: list[Document]
) -> None:
    first = next(iter(articles.values()))
    changed = Document(first.id, first.title, "Ada Lovelace lived in Paris.", first.source)
    Indexer(kb).index([changed, *list(articles.values())[1:]], NLP)
    index_one_by_one(kb, more[:3])
    Indexer(kb).index([first], NLP)
    Indexer(kb).index(more[3:4], NLP)
    Indexer(kb).delete([more[0].id])
    index_one_by_one(kb, [more[4], more[0]])
    assert rows(kb, "relations") == rows(whole, "relations")
    assert arrays_of(kb) == arrays_of(whole)


def test_a_deletion_goes_on_from_the_generation_before(
    kb: KnowledgeBase, articles: Articles, more: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    Indexer(kb).index([*articles.values(), *more], NLP)
    before = {kind: os.stat(matrix_file(kb, kind)).st_ino for kind in KINDS}

    def refuse(*_: object) -> None:
        raise AssertionError("all mentions were read")

    monkeypatch.setattr(KnowledgeBase, "mentions", refuse)
    Indexer(kb).delete([more[0].id])
    assert {kind: os.stat(matrix_file(kb, kind)).st_ino for kind in KINDS} == before


def test_a_sentence_stays_as_long_as_one_document_has_it(kb: KnowledgeBase) -> None:
    said = "Ada met Charles in London."
    told = [Document(f"s/{n}", f"T{n}", f"{said} Number {n} follows.", "s") for n in range(3)]
    Indexer(kb).index(told, NLP)
    london = vectors_of(kb, "word")[kb.lexicon.words.tolist().index("london")]
    for document in told[:2]:
        Indexer(kb).delete([document.id])
        words = kb.lexicon.words.tolist()
        assert np.allclose(vectors_of(kb, "word")[words.index("london")], london, atol=1e-6)
        assert kb.embeddings([said]).any()
    Indexer(kb).index([Document("s/3", "T3", "It rained in Oslo.", "s")], NLP)
    Indexer(kb).delete(["s/2"])
    assert "london" not in kb.lexicon.words.tolist()
    assert not kb.embeddings([said]).any()


def test_a_word_that_only_a_title_keeps_has_no_vector_any_more(kb: KnowledgeBase) -> None:
    told = ("Harbour", "It rained in Oslo."), ("Quay", "The harbour was closed.")
    documents = [Document(f"s/{title}", title, text, "s") for title, text in told]
    Indexer(kb).index(documents, NLP)
    Indexer(kb).delete(["s/Quay"])
    assert "harbour" in kb.lexicon.words.tolist()
    assert not kb.vectors("word").vectors(["harbour"]).any()


def build_with_reports(bases: Iterable[KnowledgeBase], documents: Sequence[Document]) -> None:
    for one in bases:
        Indexer(one).index(documents, NLP)
        CommunityBuilder(one).build(CommunityOptions(extractive=True))


def test_reports_that_rest_on_a_deleted_document_are_gone(
    kb: KnowledgeBase,
    open_kb: OpenKb,
    articles: Articles,
    more: list[Document],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anew = open_kb("anew")
    build_with_reports((kb, anew), [*articles.values(), *more])
    before = len(kb.report_keys())
    Indexer(kb).delete([more[0].id])
    monkeypatch.setattr(derivation, "_derive_without", lambda *_: False)
    Indexer(anew).delete([more[0].id])
    assert kb.report_keys() == anew.report_keys()
    assert 0 < len(kb.report_keys()) < before
    assert arrays_of(kb) == arrays_of(anew)
    ids = kb.community_index.ids
    assert np.array_equal(kb.vectors("report").vectors(ids), anew.vectors("report").vectors(ids))
    assert {row[1] for row in rows(kb, "embeddings")} == {
        row[1] for row in rows(anew, "embeddings")
    }
    assert not rows(kb, "unpublished")


def test_communities_that_a_change_touches_are_told_by_its_list(
    kb: KnowledgeBase,
    open_kb: OpenKb,
    articles: Articles,
    more: list[Document],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anew = open_kb("anew")
    build_with_reports((kb, anew), [*articles.values(), *more[1:]])

    def stale(one: KnowledgeBase) -> set[str]:
        return {row[0] for row in rows(one, "communities") if row[5]}

    changes: tuple[Callable[[KnowledgeBase], object], ...] = (
        lambda one: Indexer(one).index(more[:1], NLP),
        lambda one: Indexer(one).index([replace(more[4], text="It rained in Oslo.")], NLP),
        lambda one: Indexer(one).delete([more[1].id]),
    )
    for change in changes:
        monkeypatch.setattr(building, "_COMPARED", 0)
        change(kb)
        monkeypatch.undo()
        change(anew)
        assert stale(anew) <= stale(kb) != set()
        assert kb.info()["communities"] == anew.info()["communities"]
        assert arrays_of(kb) == arrays_of(anew)
    CommunityBuilder(kb).build(CommunityOptions(extractive=True))
    assert stale(kb) == set()


def test_documents_come_and_go_at_once(kb: KnowledgeBase, open_kb: OpenKb, tmp_path: Path) -> None:
    folder, other = tmp_path / "notes", open_kb("other")
    folder.mkdir()
    for name, text in (("a", "Ada Lovelace met Charles Babbage."), ("b", "Ada lived in London.")):
        (folder / f"{name}.txt").write_text(text)
    Indexer(kb).sync(folder, NLP)
    (folder / "b.txt").unlink()
    (folder / "c.txt").write_text("Ada Lovelace died in London in 1852.")
    assert Indexer(kb).sync(folder, NLP).deleted == ("notes/b.txt",)
    Indexer(other).sync(folder, NLP)
    for table in TABLES:
        assert rows(kb, table) == rows(other, table)
    assert arrays_of(kb) == arrays_of(other)


def test_a_document_that_is_put_back_before_it_is_published_is_there(
    kb: KnowledgeBase, whole: KnowledgeBase, articles: Articles, more: list[Document]
) -> None:
    Indexer(kb).index([*articles.values(), *more], NLP)
    with kb.transaction():
        delete_documents(kb, [more[0].id, more[1].id], NoProgress())
        Indexer(kb).index(more[:2], NLP)
    assert rows(kb, "relations") == rows(whole, "relations")
    assert arrays_of(kb) == arrays_of(whole)


def edited(articles: Articles, more: list[Document]) -> list[Document]:
    """Return documents of these ids that are shorter, longer, renamed, or say something else."""
    first, second, third = list(articles.values())[:3]
    return [
        replace(first, text=first.text.partition(". ")[0] + "."),
        replace(second, text=f"{second.text} Ada Lovelace was born in 1990 in Oslo."),
        replace(third, title=f"{third.title} of old"),
        replace(more[0], text="London was a horse. London won the Epsom Derby in 1848."),
        replace(more[4], text=f"It rained. {more[4].text}"),
    ]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_base_after_replacements_is_that_of_the_new_texts(
    kb: KnowledgeBase,
    open_kb: OpenKb,
    articles: Articles,
    more: list[Document],
    monkeypatch: pytest.MonkeyPatch,
    at_once: bool,
) -> None:
    other, given = open_kb("other"), {one.id: one for one in (*articles.values(), *more)}
    changed = edited(articles, more)
    Indexer(kb).index(list(given.values()), NLP)
    Indexer(other).index(list((given | {one.id: one for one in changed}).values()), NLP)

    def refuse(*_: object) -> None:
        raise AssertionError("all mentions were read")

    monkeypatch.setattr(KnowledgeBase, "mentions", refuse)
    before = {kind: os.stat(matrix_file(kb, kind)).st_ino for kind in KINDS}
    for some in [changed] if at_once else [[one] for one in changed]:
        Indexer(kb).index(some, NLP)
    assert {kind: os.stat(matrix_file(kb, kind)).st_ino for kind in KINDS} == before
    assert tables_of(kb) == tables_of(other)
    assert not rows(kb, "replaced_extractions")
    assert arrays_of(kb) == arrays_of(other)
    assert hashes(kb) == hashes(other)
    for kind in KINDS:
        assert np.abs(vectors_of(kb, kind) - vectors_of(other, kind)).max() < ROUNDED[kind]


def test_a_replaced_document_of_many_passages_keeps_those_that_stay(
    kb: KnowledgeBase, open_kb: OpenKb, articles: Articles
) -> None:
    other, options = open_kb("other"), IndexOptions(extractor="nlp", chunk_tokens=60)
    parts = [f"Ada Lovelace met number {n} in London. {'It rained again. ' * 12}" for n in range(5)]
    text = "\n\n".join(parts)
    before = Document("long/1", "Long", text, "long")
    after = replace(before, text=text.replace("number 3", "Charles Babbage"))
    for one, told in ((kb, before), (other, after)):
        Indexer(one).index([*articles.values(), told], options)
    passages = {chunk.id for chunk in kb.iter_chunks(["long/1"])}
    Indexer(kb).index([after], options)
    assert passages & {chunk.id for chunk in kb.iter_chunks(["long/1"])}
    assert tables_of(kb) == tables_of(other)
    assert rows(kb, "extractions") == rows(other, "extractions")
    assert arrays_of(kb) == arrays_of(other)


@pytest.mark.parametrize("stage", ["resolve", "publish"])
def test_replacements_that_were_killed_are_made_by_the_next_run(
    kb: KnowledgeBase, open_kb: OpenKb, articles: Articles, more: list[Document], stage: str
) -> None:
    other, given = open_kb("other"), {one.id: one for one in (*articles.values(), *more)}
    changed = edited(articles, more)
    Indexer(kb).index(list(given.values()), NLP)
    again = [replace(one, text=f"{one.text} Mary Somerville was there.") for one in changed[:2]]
    with pytest.raises(KilledError):
        Indexer(kb, progress=KilledAt(stage)).index(changed, NLP)
    with pytest.raises(KilledError):
        Indexer(kb, progress=KilledAt(stage)).index(again, NLP)
    Indexer(kb).delete([changed[1].id, more[0].id])
    put = {one.id: one for one in (*changed, *again)}
    kept = {
        id_: one for id_, one in (given | put).items() if id_ not in (changed[1].id, more[0].id)
    }
    Indexer(other).index(list(kept.values()), NLP)
    assert tables_of(kb) == tables_of(other)
    assert arrays_of(kb) == arrays_of(other)


@pytest.fixture
def half_replaced(kb: KnowledgeBase, articles: Articles, more: list[Document]) -> KnowledgeBase:
    """A base that stored new texts of documents and was killed before it derived the graph."""
    Indexer(kb).index([*articles.values(), *more], NLP)
    with pytest.raises(KilledError):
        Indexer(kb, progress=KilledAt("resolve")).index(edited(articles, more), NLP)
    return kb


def test_a_base_that_is_not_derived_yet_is_not_taken_for_damaged(
    half_replaced: KnowledgeBase,
) -> None:
    assert any(isinstance(row[3], bytes) for row in rows(half_replaced, "replaced_extractions"))
    with pytest.raises(ValueError, match="of the caller"), half_replaced.transaction():
        raise ValueError("of the caller")


def test_a_copy_of_a_base_that_is_not_derived_yet_is_derived_as_that_is(
    half_replaced: KnowledgeBase,
) -> None:
    with half_replaced.private_copy() as copy:
        derive_graph(copy, NoProgress())
        tried = {table: rows(copy, table) for table in TABLES}
    Indexer(half_replaced).index((), NLP)
    assert tried == {table: rows(half_replaced, table) for table in TABLES}


def test_triples_are_read_with_what_was_added(
    kb: KnowledgeBase, open_kb: OpenKb, articles: Articles, more: list[Document], tmp_path: Path
) -> None:
    path = tmp_path / "openie.jsonl"
    told = {"passage_id": "ada", "triples": [["Ada Lovelace", "friend of", "Mary Somerville"]]}
    path.write_text(json.dumps(told))
    options = IndexOptions(source="wiki", extractor="nlp", triples=(path,))
    other = open_kb("other")
    Indexer(kb).index(list(articles.values()), NLP)
    Indexer(kb).index(more[:2], NLP)
    Indexer(kb).index((), options)
    Indexer(kb).index(more[2:], NLP)
    Indexer(other).index([*articles.values(), *more], NLP)
    Indexer(other).index((), options)
    assert rows(kb, "relations") == rows(other, "relations")
    assert arrays_of(kb) == arrays_of(other)


def test_names_that_lead_everywhere_are_resolved_with_all(
    kb: KnowledgeBase,
    whole: KnowledgeBase,
    articles: Articles,
    more: list[Document],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(derivation, "_FEW", 0)
    Indexer(kb).index(list(articles.values()), NLP)
    index_one_by_one(kb, more)
    assert rows(kb, "relations") == rows(whole, "relations")
    assert arrays_of(kb) == arrays_of(whole)


def test_only_what_was_added_is_asked_for_vectors(
    kb: KnowledgeBase, articles: Articles, more: list[Document]
) -> None:
    Indexer(kb).index(list(articles.values()), NLP)
    kb.put_document(more[0], chunk_document(more[0], 600))
    assert kb.texts_without_vectors(read=False) == [f"Ada_2\n{more[0].text}"]
    kb.delete_documents([more[0].id])
    assert kb.texts_without_vectors() == []
