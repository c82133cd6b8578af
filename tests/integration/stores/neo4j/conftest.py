"""A real Neo4j server for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hoptrail.core.progress import NoProgress
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.neo4j.connection import Connection, ServerAddress
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import Publication, bring_in_step
from tests.servers import fixtures


@pytest.fixture(scope="session")
def server() -> fixtures.ServerAddress:
    """A server of the oldest release that is served; all tests share it."""
    return fixtures.shared_neo4j("lts")


@pytest.fixture
def url(server: fixtures.ServerAddress, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server's address; who asks stands in the environment."""
    monkeypatch.setenv("NEO4J_USERNAME", server.user)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)
    monkeypatch.delenv("NEO4J_DATABASE", raising=False)
    return server.uri


@pytest.fixture
def connection(url: str) -> Iterator[Connection]:
    opened = Connection(ServerAddress.parse(url))
    yield opened
    opened.close()


@pytest.fixture
def open_store(url: str) -> Iterator[Callable[[str], Neo4jStore]]:
    opened: list[Neo4jStore] = []

    def open_(name: str) -> Neo4jStore:
        opened.append(Neo4jStore.open(url, name))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[str], Neo4jStore], name: str) -> Neo4jStore:
    return open_store(name)


@pytest.fixture
def publish() -> Callable[[KnowledgeBase, Neo4jStore], Publication | None]:
    return lambda kb, store: bring_in_step(kb, store, NoProgress())
