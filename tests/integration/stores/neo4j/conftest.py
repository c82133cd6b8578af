"""A real Neo4j server for the tests of this folder."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import pytest

from hoptrail.core.progress import NoProgress
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.neo4j.connection import Connection, ServerAddress
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import Publication, bring_in_step
from tests.servers import fixtures
from tests.servers.bases import TownBase


@pytest.fixture(scope="session")
def server() -> fixtures.ServerAddress:
    """A server of the oldest release that is served; all tests share it."""
    return fixtures.shared_neo4j("lts")


@pytest.fixture(scope="module")
def url(server: fixtures.ServerAddress) -> Iterator[str]:
    """The server's address; who asks stands in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEO4J_USERNAME", server.user)
        patch.setenv("NEO4J_PASSWORD", server.password)
        patch.delenv("NEO4J_DATABASE", raising=False)
        yield server.uri


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


@pytest.fixture(scope="module")
def shown_name() -> str:
    """The name of `shown`."""
    return f"b{uuid.uuid4().hex[:12]}"


@pytest.fixture(scope="module")
def shown_store(url: str, shown_name: str) -> Iterator[Neo4jStore]:
    """The store of `shown`."""
    store = Neo4jStore.open(url, shown_name)
    yield store
    store.close()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory, shown_store: Neo4jStore) -> Iterator[TownBase]:
    """A base that is published once for a file; tests only read it, here and there."""
    towns = TownBase(tmp_path_factory.mktemp("shown") / "towns")
    with towns.kb:
        bring_in_step(towns.kb, shown_store)
        yield towns


@pytest.fixture
def publish() -> Callable[[KnowledgeBase, Neo4jStore], Publication | None]:
    return lambda kb, store: bring_in_step(kb, store, NoProgress())
