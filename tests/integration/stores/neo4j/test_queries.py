"""Queries that a model may write, on a real server that holds other bases and past rows too."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import pytest

from hoptrail.core.errors import QueryError, StoreError
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.neo4j.connection import Connection, ServerAddress
from hoptrail.stores.neo4j.queries.graph_queries import check_plan
from hoptrail.stores.neo4j.rows import Space
from hoptrail.stores.neo4j.source import Neo4jSource
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import Publication, bring_in_step
from tests.servers import fixtures
from tests.servers.bases import TownBase
from tests.servers.hostile_queries import ENDLESS, PAST_THE_READER, REFUSED

pytestmark = pytest.mark.slow

Publish = Callable[[KnowledgeBase, Neo4jStore], Publication | None]


@pytest.fixture(scope="module")
def connection(server: fixtures.ServerAddress) -> Iterator[Connection]:
    opened = Connection(ServerAddress(server.uri, None, server.user, server.password))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def base() -> str:
    """The name of the base that is asked; with a 2 that of the other one."""
    return f"b{uuid.uuid4().hex[:12]}"


@pytest.fixture(scope="module")
def source(
    base: str, connection: Connection, tmp_path_factory: pytest.TempPathFactory
) -> Neo4jSource:
    """A base, beside rows of another base and of a space that is being loaded."""
    name = base
    store = Neo4jStore(connection, name)
    other = TownBase(tmp_path_factory.mktemp("other"), towns=3)
    with other.kb:
        other.say(0, "Secret town has a mint.")
        other.publish()
        bring_in_step(other.kb, Neo4jStore(connection, f"{name}2"))
    towns = TownBase(tmp_path_factory.mktemp("towns"))
    with towns.kb:
        for words in ("Bygone words of a town.", "Town 1 has a mill."):
            towns.say(1, words)
            towns.publish()
            bring_in_step(towns.kb, store)
    staged = Space.of(name, 9).label("entity")
    node = f"(:{staged} {{kb: $kb, item_id: 'e0', name: 'Staged', description: 'Staged'}})"
    connection.writing(
        lambda transaction: transaction.run(
            f"CREATE {node}-[:LIES_NEXT_TO {{kb: $kb}}]->{node}", kb=name
        ).consume()
    )
    return store.source(None)


def values(source: Neo4jSource, query: str) -> list[object]:
    return [row.values[0] for row in source.queries.run(query).rows]


def test_the_schema_tells_types_and_predicates_of_the_base(source: Neo4jSource) -> None:
    schema = source.queries.schema()

    assert {one.label: one.count for one in schema.entity_types} == {"MarketTown": 3, "Chunk_": 3}
    assert [(one.type, one.count) for one in schema.relation_types] == [
        ("MENTIONS_", 6),
        ("LIES_NEXT_TO", 5),
    ]


def test_a_query_of_two_hops_tells_what_each_row_was_matched_from(source: Neo4jSource) -> None:
    found = source.queries.run(
        "MATCH (a {name: 'Town 1'})-[:LIES_NEXT_TO]->(b)-[:LIES_NEXT_TO]->(c) RETURN c"
    )

    (row,) = found.rows
    assert row.values == ("Town 3",)
    assert row.relation_ids == ("r1-2", "r2-3")
    assert row.node_ids == ("e1", "e2", "e3")


def test_a_count_tells_what_was_counted(source: Neo4jSource) -> None:
    found = source.queries.run(
        "MATCH (a:MarketTown)-[:LIES_NEXT_TO]->(b) WITH a, count(b) AS n RETURN sum(n) AS total"
    )

    (row,) = found.rows
    assert (found.columns, row.values) == (("total",), (2,))
    assert sorted(row.relation_ids) == ["r1-2", "r3-4"]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (a:MarketTown) RETURN DISTINCT a.name AS x ORDER BY x DESC SKIP 1 LIMIT 1",
        "MATCH (a)-[r:LIES_NEXT_TO]->(b) WHERE r.predicate = 'lies next to' AND b.name = 'Town 4' "
        "RETURN a",
        "MATCH p = (a {name: 'Town 2'})-[:LIES_NEXT_TO*1..2]->(b {name: 'Town 3'}) RETURN b AS x"
        " UNION MATCH (a {name: 'Town 3'}) RETURN a.name AS x;",
        "MATCH (a:__Entity__) WHERE a.name IN ['Town 3', 'Town 9'] RETURN a.name",
        "MATCH (a) WHERE a.name STARTS WITH 'Town' AND NOT a.name CONTAINS '0' AND "
        "any(x IN a.aliases WHERE x = 'Old Town 3') RETURN a",
        "MATCH (a {name: 'Town 2'})--(b) WHERE EXISTS { (b)-[:LIES_NEXT_TO]->({name: 'Town 4'}) } "
        "RETURN b",
        "MATCH (a)-[:LIES_NEXT_TO]->(b) WITH a, count(*) AS n ORDER BY a.name LIMIT 4 "
        "WHERE a.name = 'Town 3' RETURN a.name AS x, n",
        "OPTIONAL MATCH (a {name: 'Town 3'}) OPTIONAL MATCH (a)-[:LIES_NEXT_TO]->(b {name: 'x'}) "
        "RETURN coalesce(b.name, a.name)",
        "UNWIND ['Town 3'] AS x MATCH (a {name: x}) "
        "RETURN CASE WHEN a.degree > 0 THEN a ELSE 1 END",
        "MATCH (c:Chunk)-[:MENTIONS]->(a {name: 'Town 3'}), (c)-[:FROM_DOCUMENT]->(d) "
        "RETURN DISTINCT d",
    ],
)
def test_queries_as_models_write_them_are_run(source: Neo4jSource, query: str) -> None:
    assert values(source, query) == ["Town 3"]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n",
        "MATCH (n:__Entity__) RETURN n.name, n.description",
        "MATCH (a)-[*1..5]-(b) RETURN DISTINCT b.name, b.description",
        "MATCH (a)--(b)--(c) RETURN DISTINCT c.name, c.description",
        "MATCH (c:Chunk) RETURN c.text",
        "MATCH (d:Document) RETURN d.text",
        "MATCH (a {name: 'Town 0'}) RETURN a.description",
        "MATCH (a) WHERE EXISTS { (b {name: 'Town 0'}) } RETURN a.description, [1, 2]",
        "MATCH (a) WITH a AS b MATCH (b)--(c) RETURN c.description",
    ],
)
def test_no_query_sees_another_base_nor_staged_rows(
    source: Neo4jSource, connection: Connection, query: str
) -> None:
    everything = repr(connection.read("MATCH (n) RETURN n.description AS d, n.text AS t"))

    told = repr(source.queries.run(query).rows)

    assert "own" in told
    for hidden in ("Secret", "Staged"):
        assert hidden in everything
        assert hidden not in told


def test_a_query_sees_a_new_generation_as_soon_as_it_is_shown(
    towns: TownBase, store: Neo4jStore, publish: Publish
) -> None:
    publish(towns.kb, store)
    source = store.source(None)
    source.queries.schema()
    towns.say(6, "Town 6 is new.")
    towns.publish()
    publish(towns.kb, store)

    assert values(source, "MATCH (a {name: 'Town 6'}) RETURN a.description") == ["Town 6 is new."]


def test_hostile_queries_never_reach_the_server(
    base: str, source: Neo4jSource, connection: Connection
) -> None:
    # Other tests publish on the server at the same time.
    counting = "MATCH (n) WHERE n.kb IS NULL OR n.kb STARTS WITH $base RETURN count(n) AS n"
    before = connection.read(counting, base=base)

    for query in REFUSED:
        with pytest.raises(QueryError):
            source.queries.run(query)

    assert connection.read(counting, base=base) == before


@pytest.mark.parametrize("statement", PAST_THE_READER)
def test_the_plan_alone_refuses_what_the_reader_should(
    connection: Connection, statement: str
) -> None:
    def explain(transaction: object) -> None:
        told = transaction.run(f"EXPLAIN CYPHER 5 {statement}").consume()  # type: ignore[attr-defined]
        check_plan(told.query_type, told.plan)

    with pytest.raises(QueryError):
        connection.reading_once(explain, seconds=10)


def test_the_transaction_alone_refuses_to_write(connection: Connection) -> None:
    with pytest.raises(StoreError):
        connection.reading_once(
            lambda transaction: transaction.run("CREATE (n:Town)").consume(), seconds=10
        )


@pytest.mark.parametrize("query", ENDLESS)
def test_an_endless_query_is_ended(
    source: Neo4jSource, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr("hoptrail.stores.neo4j.queries.graph_queries._SECONDS", 1.0)

    with pytest.raises(QueryError, match=r"longer than 1 seconds|too much memory"):
        source.queries.run(query)

    assert values(source, "MATCH (a {name: 'Town 3'}) RETURN a") == ["Town 3"]


def test_a_million_rows_are_cut(source: Neo4jSource) -> None:
    found = source.queries.run(
        "MATCH (a:__Entity__), (b:__Entity__), (c:__Entity__), (d:__Entity__) "
        "RETURN a.name + b.name + c.name + d.name"
    )

    assert len(found.rows) == 200
    assert found.has_more


def test_a_wrong_query_is_told_in_one_line(source: Neo4jSource) -> None:
    with pytest.raises(QueryError) as error:
        source.queries.run("MATCH (a) RETURN a.name + 1 + substring(1)")

    assert "\n" not in str(error.value)
    assert "line 1" not in str(error.value)


def test_names_with_quotes_are_found_as_they_are_written(source: Neo4jSource) -> None:
    for name in ('Town\'s "end"', "`} RETURN 1 //", "\\", "'; MATCH (n) DETACH DELETE n //"):
        literal = name.replace("\\", "\\\\").replace("'", "\\'")
        assert values(source, f"MATCH (a {{name: '{literal}'}}) RETURN a") == []
        assert values(source, f"MATCH (a {{name: 'Town 3'}}) RETURN '{literal}'") == [name]
