"""Commands that maintain a base."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hoptrail.models.embedder import register_embedder
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.testing import HashingEmbedder
from tests.ships import hashing_settings, index_ships
from tests.typed import run

SERVED = "openai:text-embedding-3-small"


def test_both_tables_of_a_csv_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    KnowledgeBase.open(tmp_path / "kb", create=True).close()
    command = ["export", "--kb", str(tmp_path / "kb"), "--to", str(tmp_path / "g.csv")]

    assert run(*command) == 0
    told = capsys.readouterr().out
    assert [line.split(" (")[0] for line in told.splitlines()] == [
        f"wrote {tmp_path / 'g.csv'}",
        f"wrote {tmp_path / 'g_entities.csv'}",
    ]
    assert run(*command, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["path"] == str(tmp_path / "g.csv")
    assert [Path(file["path"]).name for file in report["files"]] == ["g.csv", "g_entities.csv"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings = hashing_settings()
    index_ships(tmp_path / "kb", settings)
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", settings.embedder)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return tmp_path / "kb"


def reembed(folder: Path, *arguments: str) -> int:
    return run("reembed", "--kb", str(folder), *arguments)


def test_a_forecast_of_a_local_embedder_costs_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register_embedder("wider-for-reembed", HashingEmbedder(96))
    assert reembed(folder, "--embedder", "wider-for-reembed", "--dry-run", "--json") == 0
    forecast = json.loads(capsys.readouterr().out)["forecast"]
    assert forecast["usd"] == 0
    assert forecast["embedding"]["calls"] == 0


def test_a_local_embedder_is_not_asked_about(folder: Path) -> None:
    register_embedder("wider-for-reembed", HashingEmbedder(96))
    assert reembed(folder, "--embedder", "wider-for-reembed") == 0
    with KnowledgeBase.open(folder) as kb:
        assert kb.info()["embedder"]["dim"] == 96


def test_a_repair_says_what_is_kept_and_what_is_lost(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        connection.execute("UPDATE chunks SET text = 'x' WHERE doc_id = 't/Morning Tern'")
        connection.execute("UPDATE documents SET text = 'x' WHERE id = 't/Alder Yard'")
        connection.execute("DELETE FROM chunks WHERE doc_id = 't/Alder Yard'")
        connection.commit()
    assert run("repair", str(folder), "--dry-run") == 0
    assert "keeps what can be kept" in capsys.readouterr().out
    assert run("repair", str(folder)) == 0
    told = capsys.readouterr()
    assert told.out.startswith("kept 2 documents, 1 of them mended; the files as they were are in")
    assert "lost: t/Alder Yard; index it again" in told.err
    assert run("repair", str(folder)) == 0
    assert capsys.readouterr().out == f"{folder} is whole: 2 documents\n"
