"""Hoptrail's command in this process, as a shell would start it."""

from __future__ import annotations

from pathlib import Path

from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded


def run(*arguments: str | Path) -> int:
    """Run the command with these arguments and return its exit code."""
    return run_guarded(build_app(), [str(argument) for argument in arguments])
