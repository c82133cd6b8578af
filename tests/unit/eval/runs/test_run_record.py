"""The record of a run: its versions and choices, and the command that repeats it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hoptrail.core.settings import Settings
from hoptrail.eval.runs.run_record import (
    command_line,
    describe_circumstances,
    describe_file,
    describe_models,
)
from hoptrail.graphs.context import Context


def test_data_and_home_are_named_as_any_shell_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPTRAIL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    options = {
        "--questions": tmp_path / "data" / "a set" / "dev.jsonl",
        "--kb": tmp_path / "home" / "kb",
        "--out": Path("runs/one"),
    }
    assert command_line(options, {}) == (
        "hoptrail eval --questions $HOPTRAIL_DATA/'a set/dev.jsonl' --kb ~/kb --out runs/one"
    )


def test_options_that_were_not_given_are_left_out_and_settings_assigned() -> None:
    options = {"--preset": "reasoning", "--limit": None, "--allow-missing-gold": False}
    line = command_line(options, {"k": 5, "models": {"judge": "groq:x y"}, "retriever": "bm25"})
    assert shlex.split(line) == [
        *("hoptrail", "eval", "--preset", "reasoning", "--set", "k=5"),
        *("--set", 'models={"judge": "groq:x y"}', "--set", "retriever=bm25"),
    ]


def test_a_file_is_its_name_and_its_content(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_bytes(b"abc")
    assert describe_file("questions", tmp_path / "q.jsonl") == {
        "questions": "q.jsonl",
        "questions_sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    }


def test_models_and_prompts_are_named_where_some_are_used() -> None:
    chosen = Context(preset="vector", model="groq:small", models={"answerer": "groq:large"})
    described = describe_models(chosen, Settings())
    assert described["roles"]["router"] == "groq:small"
    assert described["roles"]["answerer"] == "groq:large"
    assert {"answer_plain", "route"} <= described["prompts"].keys()


def test_a_graph_llm_is_the_weights_that_answered(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"abc")
    chosen = Context(preset="multistage")
    described = describe_models(chosen, Settings(graph_llm=str(tmp_path)))
    assert described["roles"]["answerer"] == "graph_llm"
    assert described["graph_llm"] == tmp_path.name
    assert described["graph_llm_sha256"].startswith("ba7816bf")
    served = describe_models(chosen, Settings(graph_llm="http://127.0.0.1:8/v1"))
    assert served["graph_llm"] == "http://127.0.0.1:8/v1"


def test_a_preset_without_model_has_neither() -> None:
    assert describe_models(Context(preset="offline"), Settings(model="groq:small")) == {
        "roles": {},
        "prompts": {},
    }


def test_the_revision_is_unknown_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    circumstances = describe_circumstances("hoptrail eval", 5, 2)
    assert circumstances["git"] is None
    assert circumstances["date"].endswith("+00:00")
    assert circumstances["environment"]["concurrency"] == 2
