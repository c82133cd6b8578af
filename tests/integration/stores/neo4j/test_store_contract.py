"""The tests that any store must pass, on a real server."""

from __future__ import annotations

import socket

import pytest

from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.testing.contracts import ServingStoreContract

pytestmark = pytest.mark.slow


class TestNeo4j(ServingStoreContract):
    """Bases of their own on the shared server."""

    @pytest.fixture(autouse=True)
    def _server(self, url: str) -> None:
        self.url = url

    def open_store(self, base: str) -> Neo4jStore:
        return Neo4jStore.open(self.url, base)

    def open_unreachable(self, base: str) -> Neo4jStore:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and nobody listens
            return Neo4jStore.open(f"bolt://127.0.0.1:{taken.getsockname()[1]}", base)

    def remove(self, base: str) -> None:
        store = Neo4jStore.open(self.url, base)
        store.remove()
        store.close()
