"""The demo runs, is quick the second time, and answers rightly from the articles alone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hoptrail import Hoptrail

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
MODEL_VARIABLES = ("GROQ_API_KEY", "OPENAI_API_KEY", "HOPTRAIL_MODEL")


def run_demo(folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in MODEL_VARIABLES}
    done = subprocess.run(
        [sys.executable, str(folder / "examples" / "demo.py")],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment | {"COLUMNS": "100"},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_demo_answers_and_finds_the_articles_unchanged_the_second_time(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    first, second = run_demo(tmp_path), run_demo(tmp_path)
    assert "44 added" in first
    assert "44 unchanged" in second
    for answer in ("River Oskel", "River Tamber", "Edda Thornvale", "Brackenholm"):
        assert f"\n{answer}\n" in first
    assert "understood as: Where was Edda Thornvale born?" in first
    assert first.count("\ntrail\n") == 4
    assert "✗" not in first


def test_state_of_a_turn_on_the_articles_is_small(tmp_path: Path) -> None:
    with Hoptrail.open(tmp_path / "kb", create=True, preset="offline") as hoptrail:
        hoptrail.index([ROOT / "examples" / "articles"], extractor="nlp")
        graph = hoptrail.graph()
        question = "Who founded the shipyard that built the Morning Tern?"
        states = list(graph.stream({"question": question}, stream_mode="values"))
    sizes = [len(json.dumps(one, default=str)) for one in states]
    assert sizes[-1] < 11_000
    assert max(sizes) < 15_000
