from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from hoptrail.cli.chat import line_reader, private_file


def reading(monkeypatch: pytest.MonkeyPatch, given: bytes) -> list[str | None]:
    """Return the lines of a pipe up to its end."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
    read = line_reader({}, keeps_history=True)
    lines: list[str | None] = []
    while not lines or lines[-1] is not None:
        lines.append(read())
    return lines


def test_a_pipe_is_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reading(monkeypatch, b"Who?\n\n  When? \n") == ["Who?", "", "When?", None]


def test_a_new_file_is_the_owners_alone(tmp_path: Path) -> None:
    file = private_file(tmp_path / "state" / "lines")

    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_others_could_read_becomes_the_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_text("kept\n")
    file.chmod(0o644)

    assert private_file(file).read_text() == "kept\n"
    assert file.stat().st_mode & 0o777 == 0o600
