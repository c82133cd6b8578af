"""The frame of all commands: `--verbose`, and `--kb` that may be left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> int:
    return run_guarded(build_app(), arguments)


def make_base(path: Path) -> None:
    Hoptrail.open(path, create=True).close()


def name_of_base(capsys: pytest.CaptureFixture[str]) -> str:
    name: str = json.loads(capsys.readouterr().out)["name"]
    return name


def test_without_kb_it_is_the_folder_hoptrail_kb(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_base(folder / "hoptrail-kb")

    assert run("info", "--json") == 0
    assert name_of_base(capsys) == "hoptrail-kb"


def test_without_kb_the_variable_counts(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_base(folder / "hoptrail-kb")
    make_base(folder / "mine")
    monkeypatch.setenv("HOPTRAIL_KB", str(folder / "mine"))

    run("info", "--json")
    assert name_of_base(capsys) == "mine"


def test_without_kb_the_settings_file_counts_and_may_give_a_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_base(folder / "mine")
    toml = 'kb = "articles"\n[knowledge_bases]\narticles = "mine"\n'
    (folder / "hoptrail.toml").write_text(toml, encoding="utf-8")

    run("info", "--json")
    assert name_of_base(capsys) == "mine"


def test_the_option_wins(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_base(folder / "other")
    monkeypatch.setenv("HOPTRAIL_KB", str(folder / "mine"))

    run("info", "--kb", "other", "--json")
    assert name_of_base(capsys) == "other"


def test_a_missing_base_is_told_with_where_it_was_looked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("info") == 1

    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "no --kb was given" in error
    assert "hoptrail-kb" in error
    assert "hoptrail index PATH" in error


def test_a_missing_base_of_the_settings_is_told_as_such(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPTRAIL_KB", "gone")

    assert run("ask", "Who?") == 1
    assert "HOPTRAIL_KB or hoptrail.toml names the base, and gone" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["index", "ask", "chat", "eval", "delete", "serve", "train"])
def test_every_command_takes_verbose(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(command, "--help")

    assert "--verbose" in capsys.readouterr().out


def test_a_broken_log_level_is_told_by_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPTRAIL_LOG_LEVEL", "loud")

    assert run("info", "--kb", "any") == 1
    assert "log_level" in capsys.readouterr().err
