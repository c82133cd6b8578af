"""A base of the settings with vectors in Milvus, as a user has it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import StoreError
from hoptrail.core.settings import ServedBase, Settings
from hoptrail.services.serving_stores import StoreReport
from hoptrail.stores import served_vectors
from hoptrail.testing import HashingEmbedder
from tests.servers import milvus_server
from tests.servers.processes import ServerUnavailableError
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

QUESTION = "Who founded the yard that built the Grey Petrel?"
NOTES = {
    "petrel.md": "# Grey Petrel\n\nThe Grey Petrel was built at the Thornvale Yard in 1862.",
    "yard.md": "# Thornvale Yard\n\nThe Thornvale Yard was founded by Edda Thornvale.",
    "bread.md": "# Quay bread\n\nQuay bread is a loaf of rye.",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text)
    return folder


def settings_of(tmp_path: Path, vectors: str, name: str) -> Settings:
    served = ServedBase(records=tmp_path / "kb", vectors=vectors)
    return Settings(knowledge_bases={name: served}, kb=name)


def opened(settings: Settings) -> Hoptrail:
    return Hoptrail.open(settings.kb, create=True, embedder=HashingEmbedder(), settings=settings)


def in_step(report: StoreReport) -> bool:
    assert report.error is None, report.error
    return report.in_step


def test_commands_publish_and_questions_are_answered(
    url: str, name: str, tmp_path: Path, notes: Path
) -> None:
    settings = settings_of(tmp_path, url, name)
    with opened(settings) as h:
        h.index([notes], extractor="nlp")
        [report] = h.publications
        assert in_step(report)
        assert report.written
        answer = h.ask(QUESTION)
        assert "Edda Thornvale" in answer.text
        assert not [line for line in answer.degraded if "folder" in line]
        [told] = h.info()["stores"]
        assert told["in_step"] and told["store"] == url
        filtered = h.retrieve("quay bread", retriever="vector", filter="doc_id like *bread*")
        assert {one["doc_id"] for one in filtered["passages"]} == {"notes/bread.md"}
        h.delete(["notes/bread.md"])
        assert in_step(h.publications[0])
        assert h.publications[0].removed
        h.reembed(HashingEmbedder(dim=32))
        assert in_step(h.publications[0])
    with opened(settings) as h:
        assert in_step(h.stores()[0])


def test_a_server_that_is_down_costs_no_answer(
    name: str, tmp_path: Path, notes: Path, url: str
) -> None:
    absent = "http://127.0.0.1:1"
    with opened(settings_of(tmp_path, absent, name)) as h:
        h.index([notes], extractor="nlp")
        [report] = h.publications
        assert report.error is not None
        assert "does not answer" in report.error
        assert f"hoptrail publish --kb {name}" in report.error
        answer = h.ask(QUESTION)
        assert "Edda Thornvale" in answer.text
        assert any("vectors were read from the folder" in line for line in answer.degraded)
    with opened(settings_of(tmp_path, url, name)) as h:
        [told] = h.publish()["stores"]
        assert told["in_step"]


def test_a_restarted_server_is_asked_again(
    name: str, tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILVUS_USER", milvus_server.USER)
    monkeypatch.setenv("MILVUS_PASSWORD", milvus_server.PASSWORD)
    monkeypatch.setattr(served_vectors, "_SILENT_SECONDS", 0.0)
    try:
        server = milvus_server.MilvusServer(tmp_path / "server")
        server.start()
    except ServerUnavailableError as error:
        pytest.skip(str(error))
    try:
        with opened(settings_of(tmp_path, server.uri, name)) as h:
            h.index([notes], extractor="nlp")
            assert in_step(h.publications[0])
            assert not told_of_the_folder(h, "Who founded Thornvale Yard?")
            server.kill()
            assert told_of_the_folder(h, QUESTION)
            server.start()
            asked = itertools.count()
            wait_for(  # a server that answers again may still load what it had
                lambda: not told_of_the_folder(h, f"Who founded yard {next(asked)}?"),
                "the server is not asked again",
            )
            assert in_step(h.stores()[0])
    finally:
        server.kill()


def told_of_the_folder(h: Hoptrail, question: str) -> bool:
    """Ask what was not asked yet; return whether the folder's vectors were read for it."""
    answer = h.ask(question)
    assert "Thornvale" in answer.text
    return any("vectors were read from the folder" in line for line in answer.degraded)


def test_a_wrong_password_is_told_without_it(
    url: str, name: str, tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILVUS_PASSWORD", "not-the-secret")
    with opened(settings_of(tmp_path, url, name)) as h:
        h.index([notes], extractor="nlp")
        [report] = h.publications
    assert report.error is not None
    assert "not-the-secret" not in json.dumps(report.to_json())
    assert "MILVUS_PASSWORD" in report.error


def test_a_file_of_milvus_lite_serves_one_process(name: str, tmp_path: Path, notes: Path) -> None:
    pytest.importorskip("milvus_lite", reason="hoptrail[milvus-lite] is not installed")
    settings = settings_of(tmp_path, str(tmp_path / "vectors.db"), name)
    with opened(settings) as h:
        h.index([notes], extractor="nlp")
        assert in_step(h.publications[0])
        answer = h.ask(QUESTION)
        assert "Edda Thornvale" in answer.text
        assert not answer.degraded or "folder" not in " ".join(answer.degraded)


def test_graph_and_vectors_are_published_together_or_not(
    name: str, tmp_path: Path, notes: Path
) -> None:
    served = ServedBase(
        records=tmp_path / "kb", graph="bolt://127.0.0.1:1", vectors="http://127.0.0.1:1"
    )
    settings = Settings(knowledge_bases={name: served}, kb=name)
    with opened(settings) as h:
        h.index([notes], extractor="nlp")
        [report] = h.publications  # the graph is not told of what the vectors are not
        assert report.store == "http://127.0.0.1:1"
        with pytest.raises(StoreError, match="does not answer"):
            h.retrieve(QUESTION)
