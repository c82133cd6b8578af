"""Hoptrail's command in this process, as a shell would start it."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from tests.commands import Done


def run(*arguments: str | Path) -> int:
    """Run the command with these arguments and return its exit code."""
    return run_guarded(build_app(), [str(argument) for argument in arguments])


def run_shown(*arguments: str | Path, stdin: str = "") -> Done:
    """Run the command with this input; return its exit code and what it shows."""
    given, out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(3))
    given.write(stdin)
    given.seek(0)
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr("sys.stdin", given)
        code = run(*arguments)
    for stream in (out, err):
        stream.seek(0)
    return Done(code, out.read(), err.read())


class Terminal(io.StringIO):
    """An output that is read at once by somebody."""

    def isatty(self) -> bool:
        return True
