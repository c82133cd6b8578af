"""The newest release of Neo4j that this machine can run, where the others run the oldest."""

from __future__ import annotations

import pytest

from hoptrail.core.progress import NoProgress
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from tests.servers import fixtures
from tests.servers.bases import TownBase, public_content

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def server() -> fixtures.ServerAddress:
    return fixtures.shared_neo4j("current")


def test_a_base_that_changed_and_was_then_written_anew_is_the_same(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    bring_in_step(towns.kb, store)
    towns.say(2, "This town burnt down in 1801, alas.")
    towns.forget(4)
    towns.publish()
    told = bring_in_step(towns.kb, store)
    assert told is not None
    assert told.since is not None
    changed = public_content(connection, name)
    store.publish(towns.kb.change(None), NoProgress())
    assert public_content(connection, name) == changed


def test_it_knows_the_clause_that_filters_while_it_ranks(connection: Connection) -> None:
    assert connection.version >= (2026, 1)
    rows = connection.read("CYPHER 25 RETURN 1 AS one")
    assert rows == [{"one": 1}]
