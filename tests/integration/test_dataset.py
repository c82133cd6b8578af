"""`hoptrail dataset`, then the two commands that take what it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.models.embedder import register_embedder
from hoptrail.testing import HashingEmbedder
from tests.unit.eval.datasets.originals import HOTPOT, write_json

pytestmark = pytest.mark.slow


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    code = run_guarded(build_app(), [*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_prepared_set_is_indexed_and_evaluated_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    register_embedder("hashing", HashingEmbedder())
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    monkeypatch.chdir(tmp_path)
    source = write_json(tmp_path / "dev.json", [HOTPOT])
    code, prepared = run(capsys, "dataset", "hotpotqa", "--from", source, "--out", "set")
    assert code == 0
    assert prepared["files"] == {"corpus.jsonl": 3, "questions.jsonl": 1}
    assert (prepared["sample"], prepared["seed"]) == (500, 42)
    code, _ = run(capsys, "index", "set/corpus.jsonl", "--extractor", "none", "--kb", "kb")
    assert code == 0
    code, summary = run(
        capsys,
        *("eval", "--questions", "set/questions.jsonl", "--kb", "kb"),
        *("--retriever", "bm25", "--out", "run"),
    )
    assert code == 0
    assert summary["recall@5"] == 1


def test_a_wrong_set_is_an_error_with_a_suggestion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = run(
        capsys, "dataset", "hotpot_qa", "--from", tmp_path, "--out", tmp_path / "out"
    )
    assert code == 1
    assert printed["error"]["hint"] == "did you mean 'hotpotqa'?"


def test_the_seed_is_set_like_that_of_any_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_json(tmp_path / "dev.json", [HOTPOT])
    for options in (["--seed", "7"], ["--set", "seed=7"]):
        code, prepared = run(
            capsys, "dataset", "hotpotqa", "--from", source, "--out", tmp_path / "set", *options
        )
        assert (code, prepared["seed"]) == (0, 7)
