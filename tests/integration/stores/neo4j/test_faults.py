from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.budget import Limits, Meter, booking_to
from hoptrail.core.errors import FormatVersionError, SettingsError, StoreError
from hoptrail.core.progress import NoProgress
from hoptrail.core.types import Document, Entity, Evidence, Relation
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.neo4j.connection import Connection, ServerAddress
from hoptrail.stores.neo4j.rows import MOST_TYPES, Space, escape_lucene, quote_lucene
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from hoptrail.stores.serving import StoreState
from tests.integration.stores.neo4j.proxies import SlowProxy
from tests.servers import neo4j_server
from tests.servers.bases import TownBase, public_content

pytestmark = pytest.mark.slow

QUESTION = "What lies next to Town 1?"
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


def test_a_base_that_a_newer_version_published_is_left_alone(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    bring_in_step(towns.kb, store)
    newer = "CYPHER 5 MATCH (k:KnowledgeBase {kb: $kb}) SET k.format = 99"
    connection.writing(lambda transaction: transaction.run(newer, kb=name).consume())
    for use in (lambda: bring_in_step(towns.kb, store), lambda: store.source(towns.embedder)):
        with pytest.raises(FormatVersionError, match="newer Hoptrail") as error:
            use()
        assert "pip install -U" in one_line(error.value)


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


def test_a_base_of_more_predicates_than_get_types_of_their_own_uses_one_type(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    entities = [Entity("a", "A"), Entity("b", "B")]
    many = MOST_TYPES + 1
    relations = [Relation(f"p{i}", "a", f"predicate {i}", "b") for i in range(many)]
    towns.kb.replace_graph(entities, relations, [])
    towns.kb.publish()
    bring_in_step(towns.kb, store)
    rows = connection.read(
        """CYPHER 5 MATCH (:__Entity__ {kb: $kb})-[r]->(:__Entity__)
        RETURN type(r) AS type, count(DISTINCT r.predicate) AS predicates""",
        kb=name,
    )
    assert rows == [{"type": "RELATES_TO", "predicates": many}]


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


@pytest.fixture
def line(url: str) -> Iterator[SlowProxy]:
    """A line to the server that can be made slow or dead."""
    with SlowProxy(int(url.rpartition(":")[2])) as proxy:
        yield proxy
        proxy.shutdown()


def test_a_change_is_published_over_a_slow_line(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str, line: SlowProxy
) -> None:
    bring_in_step(towns.kb, store)
    towns.say(3, "This town has a fair.")
    towns.publish(communities=False)
    slow = Neo4jStore.open(line.url, name)
    line.seconds = 0.3
    slow.publish(towns.kb.change(towns.kb.generation - 1), NoProgress())
    slow.close()
    (row,) = connection.read(
        "CYPHER 5 MATCH (n:Document {id: $kb + '/s/town-3.md'}) RETURN n.text AS text", kb=name
    )
    assert row["text"] == "This town has a fair."


def test_a_question_over_a_slow_line_is_answered_as_ever(
    towns: TownBase, store: Neo4jStore, name: str, line: SlowProxy
) -> None:
    bring_in_step(towns.kb, store)
    slow = Neo4jStore.open(line.url, name)
    source = slow.source(towns.embedder)
    line.seconds = 0.3
    found = make_retriever("ppr", source).retrieve(QUESTION)
    assert found == make_retriever("ppr", store.source(towns.embedder)).retrieve(QUESTION)
    slow.close()


def test_a_question_whose_server_falls_silent_keeps_its_time_and_names_the_server(
    towns: TownBase, store: Neo4jStore, name: str, line: SlowProxy
) -> None:
    bring_in_step(towns.kb, store)
    store = Neo4jStore.open(line.url, name)
    source = store.source(towns.embedder)
    line.is_dead = True  # nothing says that it is: without a limit this waits for ever
    with (
        booking_to(Meter("test", Limits(max_seconds=0.1))),
        pytest.raises(StoreError, match="in the time of the question") as error,
    ):
        make_retriever("ppr", source).retrieve(QUESTION)
    assert line.url in one_line(error.value)


class StopsServer(NoProgress):
    """Stops a server once so many items are written."""

    def __init__(self, server: neo4j_server.Neo4jServer, after: int) -> None:
        self._server = server
        self._left = after

    def advance(self, stage: str, steps: int = 1) -> None:
        self._left -= steps
        if self._left <= 0:
            self._server.kill()


@pytest.fixture(scope="module")
def own() -> Iterator[neo4j_server.Neo4jServer]:
    """A server that tests may kill; it lies on a disk of its own, where such a one can be made."""
    with small_disk() as folder:
        server = neo4j_server.Neo4jServer(
            neo4j_server.RELEASES["lts"],
            folder / "neo4j",
            settings={
                "db.tx_log.preallocate": "false",
                "db.tx_log.rotation.retention_policy": "keep_none",
            },
        )
        server.start()
        with pytest.MonkeyPatch.context() as patch:
            # How long a server that is away is tried again is the driver's matter.
            patch.setattr("hoptrail.stores.neo4j.connection._RETRY_SECONDS", 1.0)
            yield server
        server.kill()


def test_a_server_that_dies_while_a_base_is_published_has_it_after_the_next_try(
    towns: TownBase, url: str, name: str, own: neo4j_server.Neo4jServer
) -> None:
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
    store.remove()
    store.close()


def test_a_question_whose_server_dies_names_it_and_the_next_one_is_answered(
    towns: TownBase,
    url: str,
    name: str,
    own: neo4j_server.Neo4jServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = Neo4jStore.open(own.uri, name)
    bring_in_step(towns.kb, store)
    retriever = make_retriever("ppr", store.source(towns.embedder))
    reading = Connection.reading

    def last_reading(self: Connection, work: Callable[[Any], Any]) -> Any:
        found = reading(self, work)
        own.kill()  # after the first statement of the question
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Connection, "reading", last_reading)
        with pytest.raises(StoreError, match="does not answer") as error:
            retriever.retrieve(QUESTION)
    assert own.uri in one_line(error.value)
    own.start()
    expected = make_retriever("ppr", towns.kb).retrieve(QUESTION)
    assert _ids(retriever.retrieve(QUESTION)) == _ids(expected)
    store.remove()
    store.close()


def test_a_full_disk_is_told_and_the_next_publication_puts_it_right(
    towns: TownBase, url: str, name: str, own: neo4j_server.Neo4jServer
) -> None:
    disk = own.folder.parent
    if not disk.is_mount():
        pytest.skip("a disk of its own cannot be made here: that takes the rights of root on Linux")
    store = Neo4jStore.open(own.uri, name)
    bring_in_step(towns.kb, store)
    towns.say(7, "A fair is held in this town. " * 50_000)
    towns.publish(communities=False)
    with (disk / "filler").open("wb") as filler:
        while shutil.disk_usage(disk).free > 1 << 19:
            filler.write(bytes(min(1 << 20, shutil.disk_usage(disk).free)))
            filler.flush()
    with pytest.raises(StoreError) as error:
        bring_in_step(towns.kb, store)
    assert own.uri in one_line(error.value)
    (disk / "filler").unlink()
    own.wipe()  # a server whose log was cut short by the disk does not start again
    assert bring_in_step(towns.kb, store) is not None
    assert store.state() == StoreState(towns.kb.newest_generation, towns.kb.base_description())
    store.close()


@contextmanager
def small_disk() -> Iterator[Path]:
    """Yield a folder on a disk of 300 MB of its own; where none can be made, any folder."""
    with tempfile.TemporaryDirectory() as scratch:
        mount = ["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", scratch]
        try:
            is_mounted = subprocess.run(mount, capture_output=True).returncode == 0
        except OSError:
            is_mounted = False
        try:
            yield Path(scratch)
        finally:
            if is_mounted:
                subprocess.run(["umount", "--lazy", scratch], check=True)


def _ids(evidence: Evidence) -> list[str]:
    return [hit.item.id for hit in evidence.chunks]
