"""The demo runs, is quick the second time, and answers rightly from the articles alone."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_demo(folder: Path) -> tuple[str, float]:
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("HOPTRAIL_") and key not in ("GROQ_API_KEY", "OPENAI_API_KEY")
    }
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(folder / "examples" / "demo.py")],
        capture_output=True,
        text=True,
        env=environment | {"HF_HUB_OFFLINE": "1", "COLUMNS": "100"},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, time.perf_counter() - begin


@pytest.mark.slow
def test_demo_answers_and_finds_the_articles_unchanged_the_second_time(tmp_path: Path) -> None:
    import shutil

    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    first, _ = run_demo(tmp_path)
    second, _ = run_demo(tmp_path)
    assert "44 added" in first
    assert "44 unchanged" in second
    for answer in ("Tarnwick", "River Tamber", "Edda Thornvale", "Brackenholm"):
        assert f"\n{answer}\n" in first
    assert "understood as:" in first
    assert first.count("trail") == 4
