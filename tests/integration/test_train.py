"""`hoptrail train` as a user runs it: on a real model, killed, interrupted, continued."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from hoptrail.models.embedder import load_embedder
from hoptrail.models.graph_llm.checkpoint import load_checkpoint
from hoptrail.models.graph_llm.training.run import Curves
from hoptrail.testing.tiny_llama import write_tiny_base
from tests.waiting import wait_for
from tests.yards import write_yards, yard_example

pytestmark = pytest.mark.slow

TINY = ("--steps", "30", "--batch", "2", "--epochs", "9", "--set", "training.save_every=3")


class Command:
    """`hoptrail train` in a child process, which pays for no import."""

    def __init__(self, *arguments: object) -> None:
        self._told = Path(tempfile.mkdtemp()) / "out.json"
        self._pid = os.fork()
        if self._pid == 0:
            # Threads of torch do not outlive a fork.
            torch.set_num_threads(1)
            given = ["train", *map(str, arguments), "--json"]
            with self._told.open("w", encoding="utf-8") as sys.stdout:
                code = run_guarded(build_app(), given)
            os._exit(code)

    def send(self, number: int) -> None:
        os.kill(self._pid, number)

    def finish(self) -> tuple[int, dict[str, Any]]:
        """Wait for the end; return exit code and JSON, nothing where none was written."""
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        text = self._told.read_text(encoding="utf-8")
        shutil.rmtree(self._told.parent)
        return code, json.loads(text) if text else {}


def wait_for_steps(folder: Path, steps: int) -> None:
    wait_for(lambda: len(Curves(folder).rows()) >= steps, f"{steps} steps were never done")


def course(folder: Path) -> list[dict[str, str]]:
    return [{**row, "seconds": ""} for row in Curves(folder).rows()]


@pytest.fixture(autouse=True, scope="module")
def loaded_embedder() -> None:
    load_embedder("all-MiniLM-L6-v2")


@pytest.fixture
def tiny(tmp_path: Path) -> Sequence[object]:
    questions, graphs = write_yards(tmp_path, 12)
    base = write_tiny_base(tmp_path / "base")
    return ("--questions", questions, "--graphs", graphs, "--base", base, *TINY)


def test_ten_steps_of_a_real_model_make_a_checkpoint_that_answers(tmp_path: Path) -> None:
    questions, graphs = write_yards(tmp_path, 12)
    out = tmp_path / "run"
    arguments = ("--questions", questions, "--graphs", graphs, "--out", out, "--steps", 10)
    code, summary = Command(*arguments, "--batch", 1, "--seed", 3).finish()
    assert code == 0
    assert (summary["steps"], summary["examples"], summary["validation"]) == (8 + 10, 11, 1)
    rows = Curves(out).rows()
    assert float(rows[-1]["loss"]) < float(rows[0]["loss"])
    assert (out / "curves.png").exists()
    model = load_checkpoint(Path(summary["checkpoint"]))
    example = yard_example(3)
    assert model.generate([model.prepare(example.question, example.graph)], max_new_tokens=8)


def test_a_run_killed_twice_ends_where_an_unbroken_one_does(
    tmp_path: Path, tiny: Sequence[object]
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    expected = Command(*tiny, "--out", whole).finish()[1]
    for steps in (5, 17):
        command = Command(*tiny, "--out", broken)
        wait_for_steps(broken, steps)
        command.send(signal.SIGKILL)
        assert command.finish()[0] == -signal.SIGKILL
    found = Command(*tiny, "--out", broken).finish()[1]
    assert course(broken) == course(whole)
    assert found["metrics"] == expected["metrics"]
    weights = "checkpoint/model.safetensors"
    assert (broken / weights).read_bytes() == (whole / weights).read_bytes()


def test_an_interrupt_exits_with_130_and_other_options_are_refused(
    tmp_path: Path, tiny: Sequence[object]
) -> None:
    out = tmp_path / "run"
    command = Command(*tiny, "--out", out)
    wait_for_steps(out, 4)
    command.send(signal.SIGINT)
    code, told = command.finish()
    assert (code, told["resumable"]) == (130, True)
    code, told = Command(*tiny, "--out", out, "--lr", "0.5").finish()
    assert code == 1
    assert "options.learning_rate" in told["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "exactly one of --graphs and --kb"),
        (("--graphs", "graphs.jsonl", "--set", "model.hiden=3"), 1, "'hidden'"),
        (("--graphs", "graphs.jsonl", "--encoder", "none"), 1, "no trainable part"),
        (("--graphs", "missing.jsonl"), 1, "no such file"),
        (("--graphs", "graphs.jsonl", "--init", "missing"), 1, "missing"),
        (("--graphs", "graphs.jsonl", "--limit", "1"), 1, "cannot be split"),
    ],
)
def test_what_cannot_be_trained_is_said(
    tmp_path: Path, arguments: Sequence[str], code: int, words: str
) -> None:
    questions, _ = write_yards(tmp_path, 3)
    given = [str(tmp_path / part) if part.endswith(".jsonl") else part for part in arguments]
    base = write_tiny_base(tmp_path / "base")
    command = Command("--questions", questions, "--out", tmp_path / "run", "--base", base, *given)
    status, told = command.finish()
    assert status == code
    assert words in f"{told['error']['message']} {told['error']['hint']}"
