"""Loaders and crawls as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import typed
from tests.ships import hashing_settings

READER = "llama_index.core:SimpleDirectoryReader"


@pytest.fixture(autouse=True)
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    hashing_settings()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    for name in ("a", "b"):
        (tmp_path / "notes" / f"{name}.txt").write_text(f"Edda Thorn founded {name}1 in Varde.")
    return tmp_path / "notes"


def run(*arguments: str) -> int:
    return typed.run(*arguments, "--kb", "kb")


def report(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(capsys.readouterr().out)
    return value


NOTES = ("--loader", READER, "--loader-arg", "input_dir=notes", "--source", "wiki", "--json")


def test_a_loader_is_indexed_and_synced(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("index", *NOTES) == 0
    assert report(capsys)["documents"]["added"] == 2
    (notes / "a.txt").unlink()

    assert run("sync", *NOTES, "--dry-run") == 0
    assert report(capsys)["deleted"] == ["wiki/a.txt"]
    assert run("sync", *NOTES) == 0

    told = report(capsys)
    assert told["deleted"] == ["wiki/a.txt"] and told["documents"]["unchanged"] == 1


def test_metadata_of_a_loader_can_be_filtered_by(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("index", *NOTES) == 0
    capsys.readouterr()
    assert run("info", "--fields", "--json") == 0
    assert "file_type" in json.dumps(report(capsys)["fields"])
    assert run("retrieve", "Varde", "--filter", "file_name = b.txt", "--json") == 0
    assert {one["doc_id"] for one in report(capsys)["passages"]} == {"wiki/b.txt"}


def test_a_source_of_the_settings_is_synced_by_its_name(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("hoptrail.toml").write_text(
        f'[sources.wiki]\nloader = "{READER}"\nargs = {{ input_dir = "notes" }}\n'
    )
    assert run("sync", "wiki", "--json") == 0
    assert report(capsys)["documents"]["added"] == 2
    assert run("index", "wiki", "--json") == 0
    assert report(capsys)["documents"]["unchanged"] == 2


def test_arguments_are_json_where_they_can_be(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["--loader-arg", 'required_exts=[".md"]', "--loader-arg", "recursive=true"]
    assert run("index", *NOTES, *chosen) == 1
    assert "No files found in notes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["index", "notes", "--depth", "1"], "--depth belongs to --loader or --crawl"),
        (["index", "--loader", "a:b", "--crawl", "https://e.org"], "not both"),
        (["index", "--loader", READER, "--loader-arg", "x"], "write it as NAME=VALUE"),
        (["sync"], "give a FOLDER, --loader or --crawl"),
        (["sync", "notes", "--crawl", "https://e.org"], "one of them"),
        (["sync", "--loader", READER, "--loader-arg", "input_dir=notes"], "--source NAME"),
        (["sync", "--crawl", "https://e.org", "--watch"], "--watch follows the files"),
        (["sync", "https://e.org", "--watch"], "--watch follows the files"),
        (["sync", "notes", "--interval", "5"], "--interval belongs to --watch"),
    ],
)
def test_what_does_not_belong_together_is_told(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    assert told in " ".join(capsys.readouterr().err.split())


def test_an_address_that_cannot_be_crawled_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("index", "--crawl", "example.org") == 1
    assert "example.org is no address to crawl" in capsys.readouterr().err
