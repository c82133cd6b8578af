"""Evidence kept between runs: when it is served, and when it must not be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.errors import ModelUnavailableError
from hoptrail.core.types import Document, Evidence
from hoptrail.eval.systems.evidence_cache import (
    EvidenceCache,
    cache_tools,
    content_digest,
    noted_savings,
    sources_digest,
)
from hoptrail.retrievers.registry import make_retriever
from hoptrail.services.request_services import call_tool
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder
from hoptrail.tools.registry import make_tools

QUESTION = "Which river does Paris lie on?"
CALL = {"retriever": "bm25", "question": QUESTION}


class Search:
    """Retrieves and counts how often."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.retriever = make_retriever("bm25", kb)
        self.count = 0

    def __call__(self) -> Evidence:
        self.count += 1
        return self.retriever.retrieve(QUESTION)


@pytest.fixture
def search(kb: KnowledgeBase) -> Search:
    return Search(kb)


@pytest.fixture
def make_cache(kb: KnowledgeBase, tmp_path: Path) -> Callable[[], EvidenceCache]:
    return lambda: EvidenceCache(tmp_path / "cache", kb)


def test_a_later_run_gets_the_same_evidence_without_searching(
    make_cache: Callable[[], EvidenceCache], search: Search
) -> None:
    first = make_cache().fetch(CALL, search)
    second = make_cache().fetch(CALL, search)
    assert search.count == 1
    assert (first.cached, second.cached) == (False, True)
    assert second.evidence == first.evidence
    assert second.seconds == first.seconds
    assert [hit.item.doc_id for hit in second.evidence.chunks][0] == "wiki/1"


def test_other_settings_are_searched_anew(
    make_cache: Callable[[], EvidenceCache], search: Search
) -> None:
    cache = make_cache()
    cache.fetch(CALL, search)
    assert not cache.fetch({**CALL, "settings": {"k": 3}}, search).cached


def test_a_new_generation_is_searched_anew(
    make_cache: Callable[[], EvidenceCache], search: Search, kb: KnowledgeBase
) -> None:
    cache = make_cache()
    cache.fetch(CALL, search)
    kb.put_document(Document("wiki/9", "Oise", "The Oise is a river.", "wiki"), [])
    kb.publish()
    assert not cache.fetch(CALL, search).cached


def test_a_damaged_entry_is_searched_anew(
    make_cache: Callable[[], EvidenceCache], search: Search, tmp_path: Path
) -> None:
    make_cache().fetch(CALL, search)
    (entry,) = (tmp_path / "cache").rglob("*.json")
    entry.write_text('{"seconds": 1', encoding="utf-8")
    assert not make_cache().fetch(CALL, search).cached
    assert make_cache().fetch(CALL, search).cached


def test_what_a_failing_reranker_left_is_told_and_searched_anew(
    make_cache: Callable[[], EvidenceCache], search: Search
) -> None:
    class Down:
        name = "down"

        def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
            raise ModelUnavailableError("no server answers")

    search.retriever = search.retriever.model_copy(update={"reranker": Down()})
    meter = Meter("retrieve")
    with booking_to(meter):
        make_cache().fetch(CALL, search)
        assert not make_cache().fetch(CALL, search).cached
    assert meter.degraded
    assert "no server answers" in meter.notes[0]


def test_the_digest_tells_contents_apart_and_not_folders(kb: KnowledgeBase, tmp_path: Path) -> None:
    before = content_digest(kb)
    with KnowledgeBase.open(tmp_path / "kb", embedder=HashingEmbedder()) as again:
        assert content_digest(again) == before
    kb.delete_documents(["wiki/0"])
    kb.publish()
    assert content_digest(kb) != before


async def test_tools_that_retrieve_are_served_and_their_savings_noted(
    make_cache: Callable[[], EvidenceCache], kb: KnowledgeBase
) -> None:
    tools = make_tools(kb)
    cached = cache_tools(tools, make_cache())
    found = await call_tool(tools["retrieve_bm25"], question=QUESTION, k=2)
    with noted_savings() as first:
        fresh = await call_tool(cached["retrieve_bm25"], question=QUESTION, k=2)
    with noted_savings() as second:
        served = await call_tool(cached["retrieve_bm25"], question=QUESTION, k=2)
    assert fresh.references() == served.references() == found.references()
    assert (len(first), len(second)) == (0, 1)


def test_other_tools_stay_as_they_are(
    make_cache: Callable[[], EvidenceCache], kb: KnowledgeBase
) -> None:
    tools = make_tools(kb)
    assert cache_tools(tools, make_cache())["hydrate_evidence"] is tools["hydrate_evidence"]


@pytest.mark.parametrize("changed", ["a.py", "deep/er/b.py", "linked/c.md", "weights/d.npz"])
def test_the_digest_of_the_sources_reaches_every_depth(tmp_path: Path, changed: str) -> None:
    package = tmp_path / "package"
    (tmp_path / "elsewhere").mkdir()
    for name in ("deep/er", "weights"):
        (package / name).mkdir(parents=True)
    (package / "linked").symlink_to(tmp_path / "elsewhere")
    for name in ("a.py", "deep/er/b.py", "linked/c.md", "weights/d.npz"):
        (package / name).write_text("before")
    before = sources_digest(package)

    (package / changed).write_text("after")

    assert sources_digest(package) != before


def test_the_digest_of_the_sources_leaves_out_what_python_makes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    before = sources_digest(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("made")

    assert sources_digest(tmp_path) == before
