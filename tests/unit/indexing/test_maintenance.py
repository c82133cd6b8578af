from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.errors import NothingIndexedError
from hoptrail.core.settings import Settings
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.recorded import Recorded
from tests.ships import ship_documents


def test_run_tells_its_counts_and_its_stages_are_parts(tmp_path: Path, recorded: Recorded) -> None:
    with KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder(), create=True) as kb:
        report = Indexer(kb, settings=Settings()).index(
            ship_documents(), IndexOptions(extractor="nlp")
        )

    told = recorded.attributes("index run")
    assert told["hoptrail.documents.added"] == 3
    assert told["hoptrail.chunks"] == report.chunks
    assert told["hoptrail.entities"] == report.entities
    root = recorded.named("index run").context
    stages = [span for span in recorded.spans if span.name.startswith("stage ")]
    assert {span.name for span in stages} == {
        "stage load",
        "stage store",
        "stage embed",
        "stage extract",
    }
    assert {span.parent.span_id for span in stages if span.parent} == {root.span_id}
    assert "Tern" not in recorded.texts()
    labels = {"hoptrail.run": "index", "hoptrail.outcome": "done"}
    assert recorded.points("hoptrail.index.runs") == [(labels, 1)]


def test_failed_run_is_counted_as_one(tmp_path: Path, recorded: Recorded) -> None:
    (tmp_path / "empty").mkdir()
    with (
        KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder(), create=True) as kb,
        pytest.raises(NothingIndexedError),
    ):
        Indexer(kb, settings=Settings()).index([tmp_path / "empty"])
    assert recorded.attributes("index run")["error.type"] == NothingIndexedError.code
    ((labels, _),) = recorded.points("hoptrail.index.runs")
    assert labels["hoptrail.outcome"] == "failed"
