"""A beginning for the tests of every served store: a base, and a name for it on the server."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.bases import TownBase


@pytest.fixture
def name() -> str:
    """A name that no other base on the server has."""
    return f"b{uuid.uuid4().hex[:12]}"


@pytest.fixture
def towns(tmp_path: Path) -> Iterator[TownBase]:
    base = TownBase(tmp_path / "towns")
    with base.kb:
        yield base
