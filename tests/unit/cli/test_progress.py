from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest
from rich.console import Console

from hoptrail.cli import progress
from hoptrail.cli.progress import ProgressBars, ProgressLines, ScoreBar, show_progress
from hoptrail.eval.runs.worker import RunProgress
from tests.typed import Terminal

Wait = Callable[[float], None]


def run_a_stage(bars: ProgressBars) -> None:
    with bars:
        bars.start("embed", None)
        bars.advance("embed", 3)
        bars.finish("embed")
        bars.advance("unknown")


def test_stages_are_bars_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    run_a_stage(ProgressBars())
    assert "embed" in stream.getvalue()
    assert "3/3" in stream.getvalue()


def test_a_stage_that_comes_again_has_one_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBars() as bars:
        for _ in range(2):
            bars.start("validate", 80)
            bars.advance("validate", 80)
            bars.finish("validate")
    assert stream.getvalue().rpartition("\x1b[?25h")[0].rsplit("\r", 1)[-1].count("validate") == 1


def test_a_pipe_gets_lines_in_place_of_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(show_progress(), ProgressLines)


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Wait:
    """Return how to let seconds pass on the clock that the lines go by."""
    now = 100.0

    def wait(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(progress, "monotonic", lambda: now)
    return wait


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str], wait: Wait) -> None:
    with ProgressLines() as lines:
        lines.start("embed", 30)
        for _ in range(3):
            wait(3)
            lines.advance("embed", 10)
        lines.finish("embed")
    assert capsys.readouterr().err == ""


def test_a_long_run_says_every_ten_seconds_how_far_it_is(
    capsys: pytest.CaptureFixture[str], wait: Wait
) -> None:
    with ProgressLines() as lines:
        lines.start("embed passages", 4000)
        for _ in range(5):
            wait(5)
            lines.advance("embed passages", 600)
    assert capsys.readouterr().err.splitlines() == [
        "embed passages: 1,200 of 4,000",
        "embed passages: 2,400 of 4,000",
    ]


def test_a_stage_of_unknown_length_says_what_is_done(
    capsys: pytest.CaptureFixture[str], wait: Wait
) -> None:
    with ProgressLines() as lines:
        lines.start("load", None)
        wait(11)
        lines.advance("load")
    assert capsys.readouterr().err == "load: 1 so far\n"


def test_the_bar_shows_the_score_so_far_on_a_terminal() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=100, force_terminal=True)
    with ScoreBar(console) as bar:
        bar.update(RunProgress(done=3, total=10, score_name="recall@5", score=0.5, usd=0.0123))
    assert "recall@5 0.500 $0.012" in stream.getvalue()


def test_the_bar_is_silent_in_a_pipe() -> None:
    stream = io.StringIO()
    with ScoreBar(Console(file=stream, width=100)) as bar:
        bar.update(RunProgress(done=3, total=10, score_name="recall@5", score=None, usd=0.0))
    assert stream.getvalue().strip() == ""
