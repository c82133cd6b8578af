"""One application for the tests that change nothing of another's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web_server import WebServer, web_server


@pytest.fixture(scope="module")
def server(ships: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with web_server(tmp_path_factory.mktemp("web"), {"ships": ships}) as running:
        yield running
