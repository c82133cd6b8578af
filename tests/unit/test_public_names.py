"""Public names stay: what goes is announced first, and what comes is listed."""

from __future__ import annotations

import json

from hoptrail import __version__
from tests.public_names import FILE, public_names

HINT = "announce what goes (CONTRIBUTING.md), then: python -m tests.public_names"


def test_public_names_are_those_that_are_listed() -> None:
    listed = json.loads(FILE.read_text(encoding="utf-8"))
    found = public_names()
    gone = {name: sorted(set(own) - set(found.get(name, ()))) for name, own in listed.items()}
    assert {name: own for name, own in gone.items() if own or name not in found} == {}, HINT
    assert found == listed, HINT


def test_the_changelog_begins_with_this_version() -> None:
    changes = (FILE.parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    first = next(line for line in changes.splitlines() if line.startswith("## "))
    assert first.startswith(f"## [{__version__}] - ")
