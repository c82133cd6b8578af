"""A real Milvus server, and Milvus Lite, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hoptrail.stores.milvus.address import MilvusAddress
from hoptrail.stores.milvus.connection import Connection
from hoptrail.stores.milvus.store import MilvusStore
from tests.servers import fixtures


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let these tests run where they are asked for: they take minutes (make test-milvus)."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("milvus")


@pytest.fixture(scope="session")
def server() -> fixtures.ServerAddress:
    """A server that all tests share."""
    return fixtures.shared_milvus()


@pytest.fixture(scope="class")
def url(server: fixtures.ServerAddress) -> Iterator[str]:
    """The server's address; who asks stands in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MILVUS_TOKEN", raising=False)
        patch.setenv("MILVUS_USER", server.user)
        patch.setenv("MILVUS_PASSWORD", server.password)
        yield server.uri


@pytest.fixture
def connection(url: str) -> Iterator[Connection]:
    opened = Connection(MilvusAddress.parse(url))
    yield opened
    opened.close()


@pytest.fixture
def open_store(url: str) -> Iterator[Callable[[str], MilvusStore]]:
    opened: list[MilvusStore] = []

    def open_(name: str) -> MilvusStore:
        opened.append(MilvusStore.open(url, name))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[str], MilvusStore], name: str) -> MilvusStore:
    return open_store(name)
