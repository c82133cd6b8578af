"""The lines on skipped tests that end a run."""

from __future__ import annotations

from types import SimpleNamespace

from tests.skips import skip_lines


def report(reason: str) -> SimpleNamespace:
    return SimpleNamespace(longrepr=("tests/test_page.py", 7, f"Skipped: {reason}"))


def test_reasons_are_counted_with_what_to_install() -> None:
    told = [report("nginx is not installed: apt-get install nginx")]
    told += [report("Chromium is not installed: apt-get install chromium")] * 3
    assert list(skip_lines(told)) == [
        "    3 tests: Chromium is not installed: apt-get install chromium",
        "    1 test: nginx is not installed: apt-get install nginx",
    ]
