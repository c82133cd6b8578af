"""`hoptrail index` leaves no folder behind where it stores nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from hoptrail.models.chat import register_chat_model
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import ScriptedChatModel
from tests.ships import hashing_settings
from tests.typed import run


def test_a_first_index_of_nothing_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("index", tmp_path / "missing.md", "--kb", tmp_path / "kb", "--json") == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["error"]["code"] == "nothing_indexed"
    assert "no such file" in told.err
    assert "making one" not in told.err
    assert not (tmp_path / "kb").exists()


def test_an_empty_folder_that_was_there_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()
    assert run("index", tmp_path / "missing.md", "--kb", tmp_path / "kb") == 1
    assert list((tmp_path / "kb").iterdir()) == []


def test_a_base_that_was_there_stays(tmp_path: Path) -> None:
    KnowledgeBase.open(tmp_path / "kb", create=True).close()
    assert run("index", tmp_path / "missing.md", "--kb", tmp_path / "kb") == 1
    with KnowledgeBase.open(tmp_path / "kb") as kb:
        assert kb.counts()["documents"] == 0


def test_a_folder_in_which_no_file_can_be_read_leaves_no_base(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "office").mkdir()
    (tmp_path / "office/photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (tmp_path / "office/cut.docx").write_bytes(b"PK\x03\x04")
    assert run("index", tmp_path / "office", "--kb", tmp_path / "kb") == 1
    told = capsys.readouterr().err
    assert "photo.png: not a readable picture" in " ".join(told.split())
    assert not (tmp_path / "kb").exists()


def test_the_share_that_the_model_reads_is_chosen_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hashing_settings()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    reply: dict[str, list[str]] = {"entities": [], "relations": []}
    register_chat_model("scripted-reader", ScriptedChatModel(by_role={"extractor": reply}))
    for number in range(4):
        (tmp_path / f"{number}.md").write_text(f"Edda Thornvale founded Guild {number}.")
    run(
        "index",
        *tmp_path.glob("*.md"),
        "--kb",
        tmp_path / "half",
        "--model",
        "scripted-reader",
        "--extractor",
        "llm",
        "--beta",
        "0.5",
        "--yes",
    )
    assert "2 passages read by the model, 2 by rules" in capsys.readouterr().out


class Talkative(BaseLoader):
    """A loader that prints what it does."""

    def __init__(self) -> None:
        print("connecting")

    def lazy_load(self) -> Iterator[Document]:
        """Give one document."""
        print("loading")
        yield Document("Edda Thorn founded the Guild of Varde.", id="guild")


@pytest.mark.parametrize("command", ["index", "sync"])
@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_what_a_loader_prints_is_not_among_the_results(
    command: str, more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hashing_settings()
    named = ("--loader", f"{__name__}:Talkative", "--source", "wiki", "--embedder", "hashing")
    assert run(command, *named, *more, "--kb", tmp_path / "kb", "--json") == 0
    told = capsys.readouterr()
    json.loads(told.out)
    assert "connecting\n" in told.err
    assert "loading\n" in told.err
