"""The example of `tests.ships` as an open knowledge base, which answers without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from tests.ships import hashing_settings


@pytest.fixture
def hoptrail(ships: Path) -> Iterator[Hoptrail]:
    with Hoptrail.open(ships, settings=hashing_settings(), preset="offline") as opened:
        yield opened
