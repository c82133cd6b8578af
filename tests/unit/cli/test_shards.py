"""`hoptrail index --shard` and the merging of what it makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hoptrail.models.chat import register_chat_model
from hoptrail.testing import ScriptedChatModel
from tests.ships import hashing_settings
from tests.typed import run


@pytest.fixture(autouse=True)
def hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    hashing_settings()
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.txt").write_text(f"Edda Thorn founded the Alder Yard {number}.")
    return folder


def shard(notes: Path, number: int, *arguments: str) -> int:
    into = notes.parent / "shards"
    place = ("--shard", f"{number}/2", "--into", into, "--kb", notes.parent / "kb")
    return run("index", notes, *place, *arguments)


def test_shards_are_merged_into_a_new_base(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [shard(notes, number, "--json") for number in (1, 2)] == [0, 0]
    states = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(state["number"], state["stage"]) for state in states] == [(1, "done"), (2, "done")]
    assert not (notes.parent / "kb").exists()
    assert run("merge", notes.parent / "shards", "--kb", notes.parent / "kb", "--json") == 0
    assert json.loads(capsys.readouterr().out)["documents"]["added"] == 8


def test_a_merge_without_all_shards_leaves_no_base(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shard(notes, 1)
    assert run("merge", notes.parent / "shards", "--kb", notes.parent / "kb") == 1
    assert "shard 2/2 is missing" in capsys.readouterr().err
    assert not (notes.parent / "kb").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--shard", "1/2"), "--into"),
        (("--into", "shards"), "--shard, --workers or --ray"),
        (("--shard", "1/2", "--into", "shards", "--workers", "2"), "without --dry-run"),
        (("--shard", "1/2", "--into", "shards", "--dry-run"), "without --dry-run"),
        (("--gpus-per-worker", "1"), "--ray"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(
    notes: Path, arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("index", notes, "--kb", notes.parent / "kb", *arguments) == 2
    assert told in capsys.readouterr().err


def test_standard_input_is_not_divided(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("index", "-", "--shard", "1/2", "--into", notes.parent / "shards") == 1
    assert "cannot be divided into shards" in capsys.readouterr().err


def test_triples_are_not_divided(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (notes.parent / "t.tsv").write_text("a\tb\tc\n")
    assert shard(notes, 1, "--triples", str(notes.parent / "t.tsv")) == 1
    assert "without --shard" in capsys.readouterr().err


def register(name: str) -> ScriptedChatModel:
    reply: Any = {"entities": [], "relations": []}
    model = ScriptedChatModel(by_role={"extractor": reply})
    register_chat_model(name, model)
    return model


def test_a_shard_asks_no_model_before_somebody_agreed(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = register("scripted-unpaid")
    assert shard(notes, 1, "--model", "scripted-unpaid") == 1
    assert "--yes or --max-usd" in capsys.readouterr().err
    assert model.calls == []


def test_where_central_passages_are_read_the_second_run_is_told(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = register("scripted-central")
    arguments = ("--model", "scripted-central", "--beta", "0.5", "--yes")
    assert shard(notes, 1, *arguments) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "run the same command again when all 2 shards" in told
    assert [shard(notes, number, *arguments) for number in (2, 1)] == [0, 0]
    assert len(model.calls) == 4
