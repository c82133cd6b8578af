from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable

import pytest

from hoptrail.cli.output import (
    StatusLine,
    emit_json,
    emit_text,
    printable,
    tolerate_any_text,
    warn,
)
from tests.typed import Terminal


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_json_survives_every_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    tolerate_any_text(stream)
    monkeypatch.setattr(sys, "stdout", stream)
    emit_json({"answer": "Gdańsk → 漢字 😀"})
    assert json.loads(raw.getvalue().decode(encoding)) == {"answer": "Gdańsk → 漢字 😀"}


def test_json_of_an_undecodable_file_name_can_be_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8")
    tolerate_any_text(stream)
    monkeypatch.setattr(sys, "stdout", stream)
    emit_json({"path": "a\udcff.txt"})
    assert json.loads(raw.getvalue()) == {"path": "a\udcff.txt"}


def test_only_control_characters_are_replaced() -> None:
    assert printable("a\x1b[1mb\tc\nd é 漢\x9b") == "a�[1mb\tc\nd é 漢�"


def test_a_long_line_is_broken_between_words_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = "error: " + "knowledge base " * 9 + "/a/path/with-hyphens/that-stays/whole"
    warn(message)
    assert capsys.readouterr().err == f"{message}\n"

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    warn(message)

    lines = capsys.readouterr().err.splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join(lines) == message


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
