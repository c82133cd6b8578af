"""One application for the tests that change nothing of another's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ships import hashing_settings, index_ships
from tests.web_server import WebServer, web_server


@pytest.fixture(scope="session")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ships")
    index_ships(folder, hashing_settings())
    return folder


@pytest.fixture(scope="module")
def server(ships: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with web_server(tmp_path_factory.mktemp("web"), {"ships": ships}) as running:
        yield running
