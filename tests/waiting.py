"""Waits of tests for what another process or thread does, as patient as a busy machine needs."""

from __future__ import annotations

import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tests.commands import Command

PATIENCE = 240.0
Found = TypeVar("Found")


def wait_for(
    is_so: Callable[[], Found | None], what: str | Callable[[], str], seconds: float = PATIENCE
) -> Found:
    """Return what a check gives once that is true; the test fails where it never is.

    Args:
        is_so: The check.
        what: What is wrong where it never is true, or a function that tells it then.
        seconds: How long it is tried.
    """
    end = time.monotonic() + seconds
    while not (found := is_so()):
        if time.monotonic() > end:
            pytest.fail(f"after {seconds:.0f} s: {what() if callable(what) else what}")
        time.sleep(0.02)
    return found


def wait_until_ready(
    url: str, process: Command | subprocess.Popen[bytes], log: Path | None = None
) -> None:
    """Wait until a server's address answers well; the test fails where the server has ended."""

    def is_ready() -> bool:
        if process.poll() is not None:
            pytest.fail(failure())
        try:
            urllib.request.urlopen(url, timeout=2).close()
        except OSError:
            return False
        return True

    def failure() -> str:
        told = log.read_text(encoding="utf-8", errors="replace") if log else ""
        return f"the server did not start:\n{told}"

    wait_for(is_ready, failure)
