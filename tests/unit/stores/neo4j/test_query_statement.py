import re

import pytest

from hoptrail.core.errors import QueryError
from hoptrail.stores.neo4j.queries.graph_queries import check_plan
from hoptrail.stores.neo4j.queries.scope import Vocabulary
from hoptrail.stores.neo4j.queries.statement import Statement, restrict
from hoptrail.stores.neo4j.rows import Space
from tests.servers.hostile_queries import REFUSED

VOCABULARY = Vocabulary(
    Space("kb_1"), frozenset({"Town", "Ship"}), frozenset({"LIES_ON", "BUILT_AT", "FOUNDED"})
)


def read(query: str, most_rows: int = 10) -> Statement:
    return restrict(query, VOCABULARY, most_rows)


@pytest.mark.parametrize(("query", "reason"), REFUSED.items())
def test_a_hostile_query_is_refused_in_one_line(query: str, reason: str) -> None:
    with pytest.raises(QueryError) as error:
        read(query)

    assert reason in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (t:Town)-[:LIES_ON]->(r) RETURN t",
        "match (t:Town)<-[x:LIES_ON]-(r), (r)--(s) where t.name <> 'a' return distinct r.name as r",
        "MATCH (a {name: 'A'})-[:LIES_ON|BUILT_AT*1..3]-(b) RETURN b.name",
        "MATCH (a) WHERE (a)-[:LIES_ON]->() RETURN a",
        "MATCH (a) WHERE EXISTS { (a)-[:LIES_ON]->(b) WHERE b.name = 'B' } RETURN a",
        "MATCH (c:Chunk)-[:MENTIONS]->(e), (c)-[:FROM_DOCUMENT]->(d) RETURN d.title",
    ],
)
def test_every_node_and_relationship_is_held_to_the_base(query: str) -> None:
    text = read(query).text
    body = text.partition(" RETURN ")[0]
    nodes = set(re.findall(r"(?<![:&])\((`\w+`|_\d+|)[:)]", body)) - {""}
    for node in nodes:
        assert re.search(rf"\({node}:[^{{]*kb_1_\w+`\) {{kb: \$kb", body), node
    for relationship in re.findall(r"-\[([^\]]*)\]-", body):
        assert "{kb: $kb" in relationship or "`FROM_DOCUMENT`" in relationship


def test_literals_stand_in_parameters_alone() -> None:
    query = "MATCH (a {name: 'it\\'s'}) WHERE a.type IN ['x', \"y\"] AND a.degree > 3 RETURN a"

    statement = read(query)

    assert statement.parameters == {"v0": "it's", "v1": "x", "v2": "y", "v3": 3}
    assert "'" not in statement.text
    assert '"' not in statement.text


def test_labels_choose_the_label_of_the_space() -> None:
    assert ":(`Town`)&(`kb_1_Entity`)" in read("MATCH (a:Town) RETURN a").text
    assert ":(`Chunk`)&(`kb_1_Chunk`)" in read("MATCH (a:Chunk) RETURN a").text
    both = read("MATCH (a:Chunk|Town) RETURN a").text
    assert ":(`Chunk`|`Town`)&(`kb_1_Chunk`|`kb_1_Entity`)" in both
    every = read("MATCH (a) RETURN a").text
    assert "&" not in every.partition("{")[0]
    assert "`kb_1_Chunk`|`kb_1_Document`|`kb_1_Entity`" in every


def test_a_relationship_without_a_type_is_none_of_the_stores_own() -> None:
    text = read("MATCH (a)--(b) RETURN b").text

    assert "!MENTIONS&!FROM_DOCUMENT&!NEXT_CHUNK&!IN_COMMUNITY&!PARENT_COMMUNITY&!__Past__" in text


def test_of_several_lengths_all_types_are_named() -> None:
    text = read("MATCH (a)-[*1..2]-(b) RETURN b").text

    assert "`BUILT_AT`|`FOUNDED`|`LIES_ON`*1..2 {kb: $kb}" in text


def test_rows_are_bounded() -> None:
    assert read("MATCH (a) RETURN a").text.endswith("LIMIT 11")
    assert read("MATCH (a) RETURN a LIMIT 3").text.endswith("LIMIT 3")
    assert read("MATCH (a) RETURN a LIMIT 1000000").text.endswith("LIMIT 11")
    union = read("MATCH (a:Town) RETURN a UNION ALL MATCH (a:Ship) RETURN a LIMIT 2").text
    assert union.count("LIMIT") == 2


def test_collected_lists_are_bounded() -> None:
    assert "[..200]" in read("MATCH (a)-[:LIES_ON]->(b) RETURN a, collect(b.name)").text


def test_columns_are_named_as_the_query_names_them() -> None:
    assert read("MATCH (a) RETURN a.name, count( * ) AS n").columns == ("a.name", "n")


def test_an_unknown_type_is_told_with_those_like_it() -> None:
    with pytest.raises(QueryError, match="did you mean LIES_ON"):
        read("MATCH (a)-[:LIES_IN]->(b) RETURN b")


def test_a_variable_that_with_left_out_is_told() -> None:
    with pytest.raises(QueryError, match="'b' is not known here"):
        read("MATCH (a)-[:LIES_ON]->(b) WITH a RETURN b")


def test_the_parts_of_a_union_need_the_same_columns() -> None:
    with pytest.raises(QueryError, match="same columns"):
        read("MATCH (a:Town) RETURN a UNION MATCH (b:Ship) RETURN b")


def test_a_plan_with_an_operator_that_is_not_listed_is_refused() -> None:
    scan = {"operatorType": "NodeByLabelScan@neo4j", "children": []}
    check_plan("r", {"operatorType": "ProduceResults@neo4j", "children": [scan]})

    with pytest.raises(QueryError, match="would do LoadCSV"):
        load = {"operatorType": "LoadCSV@neo4j", "children": []}
        check_plan("r", {"operatorType": "ProduceResults@neo4j", "children": [load]})


@pytest.mark.parametrize("query_type", ["w", "rw", "s", None])
def test_a_statement_that_does_more_than_read_is_refused(query_type: str | None) -> None:
    with pytest.raises(QueryError, match="more than read"):
        check_plan(query_type, {"operatorType": "ProduceResults@neo4j", "children": []})


@pytest.mark.parametrize(
    "name", ["VarLengthExpand(Pruning,BFS,All)", "PartitionedNodeByLabelScan", "Expand(Into)"]
)
def test_ways_of_reading_are_told_by_the_name_of_the_operator(name: str) -> None:
    check_plan("r", {"operatorType": f"{name}@neo4j", "children": []})


def test_a_seek_that_locks_is_none_that_reads() -> None:
    with pytest.raises(QueryError):
        check_plan("r", {"operatorType": "NodeUniqueIndexSeek(Locking)@neo4j", "children": []})
