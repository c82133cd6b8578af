"""One document added to a base of 300 and deleted again: how many reports are to be written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from hoptrail.core.types import Community, Document, NodeUsage
from hoptrail.indexing.communities.clustering import cluster
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder

pytestmark = [pytest.mark.data, pytest.mark.slow]

PASSAGES = 300
ADDED = 10
MOST_REDONE = 0.05  # of the reports, for one document
OPTIONS = IndexOptions(extractor="nlp")


@pytest.fixture(scope="module")
def passages(data_dir: Path) -> list[Document]:
    with (data_dir / "musique/dev_corpus.jsonl").open() as lines:
        rows = [json.loads(line) for line in islice(lines, PASSAGES + ADDED)]
    return [Document(f"m/{row['id']}", row["title"], row["text"], "m") for row in rows]


@pytest.fixture(scope="module")
def reported(
    passages: list[Document], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("clustering") / "kb"
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        Indexer(kb).index(passages[:PASSAGES], OPTIONS)
        cluster(kb)
        report_all(kb)
        yield kb


def report_all(kb: KnowledgeBase) -> int:
    """Report on every community that has no report yet, publish, and return how many these are."""
    keys = set(kb.community_keys().values()) - kb.report_keys()
    for key in keys:
        kb.put_report(key, Community("", 0, f"About {key}"), maker="test", usage=NodeUsage())
    kb.publish()
    return len(keys)


@pytest.mark.parametrize("place", range(ADDED))
def test_one_more_document_redoes_few_reports(
    reported: KnowledgeBase, passages: list[Document], place: int
) -> None:
    before = reported.community_keys()
    added = passages[PASSAGES + place]
    indexer = Indexer(reported)
    indexer.index([added], OPTIONS)
    assert reported.communities_stale
    cluster(reported)
    redone, all_ = report_all(reported), len(reported.community_keys())
    print(f"{redone} of {all_} reports redone")
    assert 0 < redone <= MOST_REDONE * all_
    indexer.delete([added.id])
    cluster(reported)
    assert reported.community_keys() == before
    assert report_all(reported) == 0


def test_a_deleted_document_comes_back_to_its_reports(
    reported: KnowledgeBase, passages: list[Document]
) -> None:
    before = reported.community_keys()
    indexer = Indexer(reported)
    indexer.delete([passages[5].id])
    cluster(reported)
    report_all(reported)
    indexer.index([passages[5]], OPTIONS)
    cluster(reported)
    assert reported.community_keys() == before
    assert report_all(reported) == 0


def test_a_rebuilt_hierarchy_is_that_of_a_fresh_base(
    reported: KnowledgeBase, passages: list[Document], tmp_path: Path
) -> None:
    indexer = Indexer(reported)
    indexer.index([passages[PASSAGES]], OPTIONS)
    cluster(reported)
    cluster(reported, rebuild=True)
    with KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder(), create=True) as fresh:
        Indexer(fresh).index(passages[PASSAGES::-1], OPTIONS)
        cluster(fresh)
        assert fresh.community_keys() == reported.community_keys()
