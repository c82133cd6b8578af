from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.errors import SettingsError, StoreError
from hoptrail.core.progress import NoProgress
from hoptrail.core.types import Document, Entity, Relation
from hoptrail.stores.neo4j.connection import Connection, ServerAddress
from hoptrail.stores.neo4j.names import MOST_TYPES, Space, escape_lucene, quote_lucene
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from tests.servers import neo4j_server
from tests.servers.bases import TownBase, public_content

pytestmark = pytest.mark.slow

AWKWARD = (
    'say "hi" `now`',
    "O'Neil \\ Sons",
    "a AND b OR NOT (c:d^2~*?)",
    "+-&&||!{}[]/",
    "x" * 300,
    "y" * 20_000,
    "名前\n改行",
)


def one_line(error: Exception) -> str:
    text = str(error)
    assert "\n" not in text
    assert text.count("(") >= 1, "it says what to do"
    return text


def test_an_absent_server_is_told_in_one_line_without_waiting_for_retries(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        absent = f"bolt://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(StoreError, match="does not answer") as error:
            Neo4jStore.open(absent, "b")
    assert "start the server" in one_line(error.value)


def test_a_wrong_password_is_told_without_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "not-the-secret")
    with pytest.raises(StoreError, match="refuses the user 'neo4j'") as error:
        Neo4jStore.open(url, "b")
    assert "not-the-secret" not in one_line(error.value)


def test_a_wrong_database_is_named(url: str) -> None:
    with pytest.raises(StoreError, match="has no database 'nowhere'"):
        Neo4jStore.open(f"{url}/nowhere", "b")


def test_credentials_in_the_address_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(SettingsError, match="must not hold a user or password") as error:
        ServerAddress.parse("neo4j://me:tops3cret@host")
    assert "tops3cret" not in one_line(error.value)


def test_a_missing_password_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEO4J_PASSWORD", raising=False)
    with pytest.raises(SettingsError, match="NEO4J_PASSWORD"):
        ServerAddress.parse("neo4j://host")


def test_awkward_names_are_published_and_found(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    kb = towns.kb
    kb.put_document(Document("s/\"`odd`'.md", AWKWARD[0], " ".join(AWKWARD[:4]), "s"), [])
    entities = [Entity(f"odd{i}", text, text[:50]) for i, text in enumerate(AWKWARD)]
    relations = [
        Relation(f"o{i}", "odd0", text, f"odd{i}", description=text)
        for i, text in enumerate(AWKWARD)
    ]
    kb.replace_graph(entities, relations, [])
    kb.replace_communities([], {})
    kb.publish()
    bring_in_step(kb, store)
    space = Space.of(name, 1)
    for text in AWKWARD:
        (keys,) = connection.read(
            """CYPHER 5 MATCH (n:__Entity__ {kb: $kb}) WHERE n.name = left($name, 1000)
            RETURN n.name_keys AS keys, coalesce(n.long_name, n.name) AS name""",
            kb=name,
            name=text,
        )
        assert keys["name"] == text
        found = connection.read(
            """CYPHER 5 CALL db.index.fulltext.queryNodes($index, $query) YIELD node
            RETURN node.name AS name""",
            index=space.index("names"),
            query=quote_lucene(keys["keys"][0]),
        )
        assert [row["name"] for row in found] == [text[:1000]]
        connection.read(
            """CYPHER 5 CALL db.index.fulltext.queryNodes($index, $query) YIELD node
            RETURN node""",
            index=space.index("text"),
            query=escape_lucene(text[:1000]),
        )


def test_bases_with_awkward_names_have_spaces_of_their_own(
    towns: TownBase, url: str, connection: Connection
) -> None:
    for name in ("my `base`", "my 'base'"):
        store = Neo4jStore.open(url, name)
        bring_in_step(towns.kb, store)
        assert public_content(connection, name)["edges"]
        store.remove()
        store.close()


def test_a_base_of_more_predicates_than_a_database_has_types_for_uses_one_type(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    entities = [Entity("a", "A"), Entity("b", "B")]
    relations = [Relation(f"p{i}", "a", f"predicate {i}", "b") for i in range(70_000)]
    towns.kb.replace_graph(entities, relations, [])
    towns.kb.publish()
    bring_in_step(towns.kb, store)
    rows = connection.read(
        """CYPHER 5 MATCH (:__Entity__ {kb: $kb})-[r]->(:__Entity__)
        RETURN type(r) AS type, count(DISTINCT r.predicate) AS predicates""",
        kb=name,
    )
    assert rows == [{"type": "RELATES_TO", "predicates": 70_000}]
    assert MOST_TYPES < 70_000


def test_relations_without_a_text_of_their_own_can_go(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    entities = [Entity("a", "A"), Entity("b", "B")]
    relations = [Relation(f"p{i}", "a", f"predicate {i % 2}", "b") for i in range(10)]
    towns.kb.replace_graph(entities, relations, [])
    towns.kb.publish()
    bring_in_step(towns.kb, store)
    towns.kb.replace_graph(entities, relations[5:], [])
    towns.kb.publish()
    told = bring_in_step(towns.kb, store)
    assert told is not None
    assert not told.repaired
    (row,) = connection.read(
        "CYPHER 5 MATCH (n:__Entity__ {kb: $kb, item_id: 'a'}) RETURN n.degree AS degree", kb=name
    )
    assert row["degree"] == 5


class SlowProxy(socketserver.ThreadingTCPServer):
    """Hands bytes on to a server, each answer late.

    Args:
        port: The server's.
        seconds: How late.
    """

    daemon_threads = True

    def __init__(self, port: int, seconds: float) -> None:
        self.target = port
        self.seconds = seconds
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Handler(socketserver.BaseRequestHandler):
    server: SlowProxy

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.target)) as target:
            back = threading.Thread(target=self._copy, args=(target, self.request), daemon=True)
            back.start()
            self._copy(self.request, target, seconds=0)

    def _copy(
        self, source: socket.socket, sink: socket.socket, seconds: float | None = None
    ) -> None:
        last = 0.0
        try:
            while data := source.recv(1 << 16):
                if time.monotonic() - last > 0.1:  # the first piece of an answer
                    time.sleep(self.server.seconds if seconds is None else seconds)
                sink.sendall(data)
                last = time.monotonic()
        except OSError:
            pass


@pytest.fixture
def slow_url(url: str) -> Iterator[str]:
    with SlowProxy(int(url.rpartition(":")[2]), 2.0) as proxy:
        yield f"bolt://127.0.0.1:{proxy.server_address[1]}"
        proxy.shutdown()


def test_a_change_is_published_over_a_line_that_is_two_seconds_slow(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str, slow_url: str
) -> None:
    bring_in_step(towns.kb, store)
    towns.say(3, "This town has a fair.")
    towns.publish(communities=False)
    slow = Neo4jStore.open(slow_url, name)
    slow.publish(towns.kb.change(towns.kb.generation - 1), NoProgress())
    slow.close()
    (row,) = connection.read(
        "CYPHER 5 MATCH (n:Document {id: $kb + '/s/town-3.md'}) RETURN n.text AS text", kb=name
    )
    assert row["text"] == "This town has a fair."


class StopsServer(NoProgress):
    """Stops a server once so many items are written."""

    def __init__(self, server: neo4j_server.Neo4jServer, after: int) -> None:
        self._server = server
        self._left = after

    def advance(self, stage: str, steps: int = 1) -> None:
        self._left -= steps
        if self._left <= 0:
            self._server.kill()


def test_a_server_that_dies_while_a_base_is_published_has_it_after_the_next_try(
    towns: TownBase, tmp_path: Path, url: str, name: str
) -> None:
    folder = tmp_path / "server"
    own = neo4j_server.Neo4jServer(neo4j_server.RELEASES["lts"], folder)
    own.start()
    try:
        store = Neo4jStore.open(own.uri, name)
        change = towns.kb.change(None)
        with pytest.raises(StoreError, match="does not answer") as error:
            store.publish(change, StopsServer(own, after=20))
        one_line(error.value)
        own.start()
        bring_in_step(towns.kb, store)
        state = store.state()
        assert state is not None
        assert state.base.counts == towns.kb.base_description().counts
        store.close()
    finally:
        own.stop()
