from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hoptrail.core.errors import (
    ModelNotConfiguredError,
    NothingIndexedError,
    SettingsError,
    UnknownNameError,
)
from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

NLP = IndexOptions(extractor="nlp")
Articles = dict[str, Document]
Export = Callable[[KnowledgeBase], str]
OpenKb = Callable[[str], KnowledgeBase]


@pytest.fixture
def triples(tmp_path: Path) -> Path:
    path = tmp_path / "openie.jsonl"
    rows = [
        {
            "passage_id": "x",
            "title": "London",
            "text": "London is the capital of England. The River Thames crosses London.",
            "triples": [["London", "capital of", "England"], ["Thames", "crosses", "London"]],
        },
        {"passage_id": "ada", "triples": [["Ada Lovelace", "born in", "London"]]},
        {
            "passage_id": "new",
            "title": "Oslo",
            "text": "Oslo is in Norway.",
            "triples": [["Oslo", "in", "Norway"]],
        },
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_indexing_reports_what_is_there(kb: KnowledgeBase, articles: Articles) -> None:
    report = Indexer(kb).index(list(articles.values()), NLP)
    assert (report.documents.added, report.chunks) == (6, 6)
    assert report.entities == len(kb.index.entity_ids) > 10
    assert report.relations == len(kb.index.relation_ids) > 10
    assert report.to_json()["seconds"].keys() == {"load", "extract", "embed", "store"}


def test_the_same_input_again_changes_nothing(
    kb: KnowledgeBase, articles: Articles, exported: Export
) -> None:
    indexer = Indexer(kb)
    indexer.index(list(articles.values()), NLP)
    generation, before = kb.generation, exported(kb)
    report = indexer.index(list(articles.values()), NLP)
    assert report.documents.unchanged == 6
    assert (kb.generation, exported(kb)) == (generation, before)


def test_deleting_with_triples_gives_a_base_that_never_had_them(
    kb: KnowledgeBase, open_kb: OpenKb, articles: Articles, exported: Export, triples: Path
) -> None:
    options = IndexOptions(extractor="none", triples=(triples,))
    Indexer(kb).index(list(articles.values()), options)
    Indexer(kb).delete(["wiki/london", "openie/new"])
    triples.write_text(triples.read_text().splitlines()[1])
    other = open_kb("other")
    kept = [article for name, article in articles.items() if name != "london"]
    Indexer(other).index(kept, options)
    assert exported(kb) == exported(other)


def test_deleting_an_unknown_document_deletes_nothing(
    kb: KnowledgeBase, articles: Articles, exported: Export
) -> None:
    Indexer(kb).index(list(articles.values()), NLP)
    before = exported(kb)
    with pytest.raises(UnknownNameError):
        Indexer(kb).delete(["wiki/ada", "wiki/adda"])
    assert exported(kb) == before


def test_triples_join_by_text_then_by_id_and_else_add_a_document(
    kb: KnowledgeBase, articles: Articles, triples: Path
) -> None:
    options = IndexOptions(extractor="none", triples=(triples,))
    report = Indexer(kb).index(list(articles.values()), options)
    assert report.documents.added == 7
    ((_, chunk_id, _, found),) = (m for m in kb.mentions() if m[0] == "wiki/ada")
    assert chunk_id is not None
    assert found.relations[0].object == "London"
    assert {doc for doc, *_ in kb.mentions()} == {"wiki/ada", "wiki/london", "openie/new"}


def test_bare_triples_become_one_document_without_chunks(kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "movies.txt"
    path.write_text("Alien|directed by|Ridley Scott\nAlien|year|1979\n")
    report = Indexer(kb).index([], IndexOptions(extractor="none", triples=(path,), source="m"))
    assert (report.chunks, report.entities, report.relations) == (0, 3, 2)
    assert [row.doc_id for row in kb.ledger()] == ["m/movies.txt"]


def test_changed_bare_triples_replace_the_old_ones(kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "movies.txt"
    options = IndexOptions(extractor="none", triples=(path,))
    path.write_text("Alien|directed by|Ridley Scott\n")
    Indexer(kb).index([], options)
    path.write_text("Alien|year|1979\n")
    assert Indexer(kb).index([], options).relations == 1


def test_phrases_and_triples_mix(kb: KnowledgeBase, articles: Articles, triples: Path) -> None:
    Indexer(kb).index(list(articles.values()), IndexOptions(extractor="nlp", triples=(triples,)))
    extractors = {row["name"] for row in kb.info()["extractors"]}
    assert extractors == {"nlp:4", "triples:openie"}


def test_none_keeps_what_was_extracted_before(kb: KnowledgeBase, articles: Articles) -> None:
    before = Indexer(kb).index(list(articles.values()), NLP)
    after = Indexer(kb).index(list(articles.values()), IndexOptions(extractor="none"))
    assert after.relations == before.relations


def test_an_undone_merge_stays_undone(kb: KnowledgeBase, articles: Articles) -> None:
    Indexer(kb).index(list(articles.values()), NLP)
    (merge,) = kb.merges()
    assert Indexer(kb).undo_merges([merge.id]) == [merge]
    assert len(kb.store.find_entities(["WHO"])["WHO"]) == 2
    Indexer(kb).index(list(articles.values()), NLP)
    assert kb.merges() == []


def test_with_an_unknown_merge_none_is_undone(kb: KnowledgeBase, articles: Articles) -> None:
    Indexer(kb).index(list(articles.values()), NLP)
    (merge,) = kb.merges()
    with pytest.raises(UnknownNameError, match="unknown merge 'nonsense'"):
        Indexer(kb).undo_merges([merge.id, "nonsense"])
    assert kb.merges() == [merge]
    assert len(kb.store.find_entities(["WHO"])["WHO"]) == 1


def test_another_embedder_gives_all_vectors_anew(
    kb: KnowledgeBase, articles: Articles, exported: Export
) -> None:
    Indexer(kb).index(list(articles.values()), NLP)
    before = exported(kb)
    Indexer(kb).reembed(HashingEmbedder(32))
    assert kb.vectors("chunk").dim == 32
    assert kb.texts_without_vectors() == []
    assert exported(kb) == before


def test_nothing_usable_is_an_error_that_names_the_reasons(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    with pytest.raises(NothingIndexedError, match=r"missing\.txt: no such file"):
        Indexer(kb).index([tmp_path / "missing.txt"], NLP)


def test_skipped_files_are_listed_and_the_rest_is_indexed(
    kb: KnowledgeBase, articles: Articles, tmp_path: Path
) -> None:
    report = Indexer(kb).index([articles["ada"], tmp_path / "missing.txt"], NLP)
    assert report.documents.added == 1
    assert [item.reason for item in report.skipped] == ["no such file"]


def test_llm_without_a_model_is_an_error_before_anything_is_stored(
    kb: KnowledgeBase, articles: Articles
) -> None:
    with pytest.raises(ModelNotConfiguredError):
        Indexer(kb).index(list(articles.values()), IndexOptions(extractor="llm"))
    assert kb.counts()["documents"] == 0


@pytest.mark.parametrize(
    "wrong", [{"extractor": "magic"}, {"beta": 2.0}, {"concurrency": 0}, {"max_usd": -1.0}]
)
def test_options_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        IndexOptions(**wrong)  # type: ignore[arg-type]
