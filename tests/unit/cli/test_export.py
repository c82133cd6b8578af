"""`hoptrail export` tells of all files that it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.stores.knowledge_base import KnowledgeBase


def test_both_tables_of_a_csv_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    KnowledgeBase.open(tmp_path / "kb", create=True).close()
    command = ["export", "--kb", str(tmp_path / "kb"), "--to", str(tmp_path / "g.csv")]

    assert run_guarded(build_app(), command) == 0
    told = capsys.readouterr().out
    assert [line.split(" (")[0] for line in told.splitlines()] == [
        f"wrote {tmp_path / 'g.csv'}",
        f"wrote {tmp_path / 'g_entities.csv'}",
    ]
    assert run_guarded(build_app(), [*command, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["path"] == str(tmp_path / "g.csv")
    assert [Path(file["path"]).name for file in report["files"]] == ["g.csv", "g_entities.csv"]
