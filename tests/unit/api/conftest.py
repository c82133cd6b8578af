"""The example of `tests.ships` as an open knowledge base, which answers without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from tests.ships import hashing_settings, index_ships


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ships")
    index_ships(folder, hashing_settings())
    return folder


@pytest.fixture
def hoptrail(folder: Path) -> Iterator[Hoptrail]:
    with Hoptrail.open(folder, settings=hashing_settings(), preset="offline") as opened:
        yield opened
