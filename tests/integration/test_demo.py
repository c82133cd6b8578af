"""The demo runs, is quick the second time, and answers rightly from the articles alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
