"""Reports on communities from a real OpenAI-protocol server that fails in every way."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import ModelKeyError
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import Fault, HashingEmbedder, OpenAIStubServer
from hoptrail.testing.faults import dropped, empty, hang, http_error, in_prose, noise, truncated
from hoptrail.testing.stub_server import prompt_text
from tests import regions
from tests.ships import hashing_settings

REPORT: dict[str, Any] = {
    "title": "Salt",
    "summary": "Salt is traded.",
    "rating": 6,
    "findings": [{"summary": "It is traded weekly.", "references": [1]}],
}
REFUSAL = Fault(text="I cannot help with that.", finish_reason="content_filter")
COSTLY = {
    "rate limit": http_error(429, retry_after=0.05),
    "too long": http_error(400),
    "timeout": hang(20),
    "dropped connection": dropped(),
    "empty": empty(),
    "noise": noise(),
    "refusal": REFUSAL,
}
MENDED = {"prose around": in_prose(REPORT), "truncated": truncated(REPORT)}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("regions") / "kb"
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), create=True) as kb:
        kb.replace_graph(*regions.graph(), [])
        kb.publish()
    return folder


def communities(folder: Path, server: OpenAIStubServer, timeout: float = 10.0) -> dict[str, Any]:
    settings = hashing_settings(
        model="openai:stub", base_url=server.url, timeout_seconds=timeout, max_retries=1
    )
    with Hoptrail.open(folder, writable=True, settings=settings) as hoptrail:
        report: dict[str, Any] = hoptrail.communities()
    return report


def fails_on_cid(fault: Fault) -> Any:
    def reply(body: dict[str, Any]) -> Any:
        text = prompt_text(body)
        return fault if "Cid Mill" in text and "Aby" not in text else REPORT

    return reply


@pytest.mark.parametrize("fault", COSTLY.values(), ids=COSTLY)
def test_a_fault_costs_one_report_until_the_next_run(
    graph: Path, tmp_path: Path, fault: Fault
) -> None:
    folder = shutil.copytree(graph, tmp_path / "kb")
    with OpenAIStubServer(fails_on_cid(fault)) as server:
        report = communities(folder, server, timeout=1.0 if fault.delay else 10.0)
        assert report["usage"]["llm_calls"] == server.calls
    assert len(report["failed"]) == 1
    assert report["resumable"]
    assert all(level["reported"] == level["communities"] for level in report["levels"])
    with OpenAIStubServer(REPORT) as server:
        mended = communities(folder, server)
        assert server.calls == sum(level["made"] for level in mended["levels"]) == 1
    assert not mended["resumable"]


def test_a_refused_key_ends_the_run_and_the_next_one_goes_on(graph: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(graph, tmp_path / "kb")
    with (
        OpenAIStubServer(fails_on_cid(http_error(401))) as server,
        pytest.raises(ModelKeyError, match="HOPTRAIL_API_KEY"),
    ):
        communities(folder, server)
    with OpenAIStubServer(REPORT) as server:
        mended = communities(folder, server)
    assert all(level["reported"] == level["communities"] for level in mended["levels"])
    assert not mended["resumable"]


@pytest.mark.parametrize("fault", MENDED.values(), ids=MENDED)
def test_a_reply_that_can_be_repaired_costs_nothing(
    graph: Path, tmp_path: Path, fault: Fault
) -> None:
    folder = shutil.copytree(graph, tmp_path / "kb")
    with OpenAIStubServer(fails_on_cid(fault)) as server:
        report = communities(folder, server)
    assert report["failed"] == []
