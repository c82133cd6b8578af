"""The languages of documents, those of tables and names too."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase

RULES = IndexOptions(extractor="nlp")
GERMAN = "Das Freibad öffnet im Mai und schließt im Herbst."
TRIPS = "Trip,Boat code,Guests,Price (€)\nSeal bank,K1,12,28\nLighthouse,K3,20,35\n"


def languages(kb: KnowledgeBase) -> dict[str, str]:
    return {
        one.id.rpartition("/")[2]: one.metadata.get("language", "") for one in kb.document_records()
    }


def files(folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return [str(folder)]


def test_a_text_has_the_field_of_its_language(kb: KnowledgeBase) -> None:
    Indexer(kb).index([Document("t/a", "A", GERMAN, "t")], RULES)
    assert languages(kb) == {"a": "de"}


def test_a_text_without_words_has_no_language(kb: KnowledgeBase) -> None:
    Indexer(kb).index([Document("t/a", "A", "12 34", "t")], RULES)
    assert languages(kb) == {"a": ""}


def test_a_document_keeps_the_language_that_it_came_with(kb: KnowledgeBase) -> None:
    Indexer(kb).index([Document("t/a", "A", GERMAN, "t", metadata={"language": "gsw"})], RULES)
    assert languages(kb) == {"a": "gsw"}


@pytest.mark.parametrize(
    "table",
    [
        TRIPS,
        "Code,Boat,Length m,Built\nK1,Petrel,9.2,1988\nK2,Curlew,7.5,2003\nK3,Dunlin,11.0,1979\n",
        "Depot,Area m²,Opened,Pallets,Drivers\nHalden,900,2019,340,6\nOstfeld,450,2021,120,2\n",
    ],
)
def test_a_table_of_names_alone_is_english(kb: KnowledgeBase, tmp_path: Path, table: str) -> None:
    Indexer(kb).index(files(tmp_path, a_csv=table), RULES)
    assert languages(kb) == {"a.csv": "en"}


def test_a_table_of_names_has_the_language_of_the_other_documents(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    Indexer(kb).index(files(tmp_path, a_csv=TRIPS, b_txt=GERMAN), RULES)
    assert languages(kb) == {"a.csv": "de", "b.txt": "de"}


def test_documents_of_the_base_count_too(kb: KnowledgeBase, tmp_path: Path) -> None:
    Indexer(kb).index([Document("t/a", "A", GERMAN, "t")], RULES)
    Indexer(kb).index(files(tmp_path, b_csv=TRIPS), RULES)
    assert languages(kb) == {"a": "de", "b.csv": "de"}


def test_documents_that_are_read_later_count_too(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoptrail.indexing.storing._BATCH", 1)
    Indexer(kb).index(files(tmp_path, a_csv=TRIPS, b_txt=GERMAN), RULES)
    assert languages(kb) == {"a.csv": "de", "b.txt": "de"}


def test_indexing_once_more_changes_no_language(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoptrail.indexing.storing._BATCH", 1)
    given = files(tmp_path, a_csv=TRIPS, b_txt=GERMAN)
    Indexer(kb).index(given, RULES)
    generation = kb.generation
    Indexer(kb).index(given, RULES)
    assert kb.generation == generation


def test_a_table_of_remarks_shows_its_language(kb: KnowledgeBase, tmp_path: Path) -> None:
    rows = "Fenster;ist seit dem Sturm undicht\nTor;wird von der Firma noch geliefert\n"
    Indexer(kb).index(files(tmp_path, a_csv=f"Teil;Vermerk\n{rows}"), RULES)
    assert languages(kb) == {"a.csv": "de"}


def test_sentences_beside_a_table_show_the_language(kb: KnowledgeBase, tmp_path: Path) -> None:
    told = f"# Ports\n\nThe harbour master of Brin is Ole Tamm.\n\n{TABLE}"
    Indexer(kb).index(files(tmp_path, a_md=told), RULES)
    assert languages(kb) == {"a.md": "en"}


TABLE = """| Port | Berths | Depth m |
|---|---|---|
| Alva | 12 | 4.5 |
| Brin | 30 | 6 |
"""
