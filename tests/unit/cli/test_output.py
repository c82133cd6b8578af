import io
import json
import sys

import pytest

from hoptrail.cli.output import counted, emit_json, printable, tolerate_any_text, warn


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


@pytest.mark.parametrize(
    ("number", "things", "expected"),
    [
        (0, "merges", "0 merges"),
        (1, "merges", "1 merge"),
        (1, "entities", "1 entity"),
        (2000, "entities", "2,000 entities"),
    ],
)
def test_things_are_counted(number: int, things: str, expected: str) -> None:
    assert counted(number, things) == expected


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
