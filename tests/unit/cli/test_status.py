from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from hoptrail.cli.output import emit_text, warn
from hoptrail.cli.status import StatusLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched_line(monkeypatch: pytest.MonkeyPatch) -> tuple[StatusLine, Terminal]:
    """Return a line with the terminal that shows it; not from a fixture, whose stderr is gone."""
    terminal, line = Terminal(), StatusLine()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    line.allow()
    return line, terminal


def screen_of(terminal: Terminal) -> str:
    """Return what was written since the last time that lines were erased."""
    return terminal.getvalue().rpartition("\x1b[2K")[2]


def test_what_is_done_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    line, terminal = watched_line(monkeypatch)
    line.say("searching")

    assert "searching ..." in terminal.getvalue()
    line.hide()


def test_nothing_stays_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    line, terminal = watched_line(monkeypatch)
    line.say("searching")
    line.hide()

    assert "searching" not in screen_of(terminal)


def test_a_pipe_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    line = StatusLine()
    line.allow()
    line.say("searching")

    assert not line.is_allowed
    assert stream.getvalue() == ""


def test_a_line_that_is_not_allowed_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    line, terminal = watched_line(monkeypatch)
    line.forbid()
    line.say("searching")

    assert terminal.getvalue() == ""


def test_the_end_of_a_draft_stands_above_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    line, terminal = watched_line(monkeypatch)
    line.say("answering")
    line.show_draft(" ".join(f"word{number}" for number in range(200)))
    shown = screen_of(terminal)
    line.hide()

    assert shown.index("word199") < shown.index("answering")
    assert "word0 " not in shown


@pytest.mark.parametrize("print_something", [warn, emit_text])
def test_whatever_is_printed_takes_the_place_of_the_line(
    monkeypatch: pytest.MonkeyPatch, print_something: Callable[[str], None]
) -> None:
    line, terminal = watched_line(monkeypatch)
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr("hoptrail.cli.output.STATUS", line)
    line.say("searching")
    print_something("found")

    assert screen_of(terminal).endswith("found\n")
