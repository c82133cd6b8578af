import io
import sys

import pytest

from hoptrail.cli.progress import ProgressBars, show_progress
from hoptrail.cli.progress_lines import ProgressLines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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
