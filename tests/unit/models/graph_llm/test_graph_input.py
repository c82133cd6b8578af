from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hoptrail.core.errors import GraphInputError
from hoptrail.models.graph_llm.graph_input import MOST_EDGES, MOST_NODES, GraphInput


@st.composite
def graphs(draw: st.DrawFn) -> GraphInput:
    nodes = tuple(draw(st.lists(st.text(max_size=5), max_size=6)))
    number = st.integers(0, max(0, len(nodes) - 1))
    edge = st.tuples(number, st.text(max_size=5), number)
    edges = tuple(draw(st.lists(edge, max_size=6 if nodes else 0)))
    dim = draw(st.integers(1, 3))
    values = st.floats(width=32, allow_nan=False, allow_infinity=False)

    def vectors(count: int) -> Any:
        given_too = count and draw(st.booleans())
        return draw(arrays(np.float32, (count, dim), elements=values)) if given_too else None

    return GraphInput(nodes, edges, vectors(len(nodes)), vectors(len(edges)))


@given(graphs())
def test_a_graph_survives_being_sent_as_json(graph: GraphInput) -> None:
    assert GraphInput.from_json(json.loads(json.dumps(graph.to_json()))) == graph


@given(graphs(), graphs())
def test_equal_graphs_have_equal_hashes(one: GraphInput, other: GraphInput) -> None:
    assert one != other or hash(one) == hash(other)


def test_equal_names_of_triples_are_one_node() -> None:
    graph = GraphInput.from_triples([("Paris", "in", "France"), ("France", "in", "Europe")])
    assert graph.nodes == ("Paris", "France", "Europe")
    assert graph.edges == ((0, "in", 1), (1, "in", 2))


def test_a_repeated_triple_counts_once() -> None:
    graph = GraphInput.from_triples([("a", "r", "b"), ("b", "r", "a"), ("a", "r", "b")])
    assert graph.edges == ((0, "r", 1), (1, "r", 0))


def test_each_empty_name_of_triples_is_a_node_of_its_own() -> None:
    graph = GraphInput.from_triples([("Paris", "won", ""), ("", "won", "Oslo")])
    assert graph.nodes == ("Paris", "", "", "Oslo")


def test_triples_come_back_in_order() -> None:
    triples = [("b", "r", "c"), ("a", "s", "b")]
    assert list(GraphInput.from_triples(triples).triples()) == triples


@pytest.mark.parametrize("value", [{}, {"nodes": []}, {"nodes": [], "edges": []}])
def test_a_graph_may_be_empty(value: object) -> None:
    assert GraphInput.from_json(value) == GraphInput()


def test_a_graph_may_have_no_edge() -> None:
    assert GraphInput.from_json({"nodes": ["Paris"]}) == GraphInput(("Paris",))


def test_edges_name_nodes_by_id_or_number() -> None:
    value = {
        "nodes": [{"id": "q90", "name": "Paris"}, "France", {"id": "x"}],
        "edges": [
            ["q90", "capital of", 1],
            {"source": 1, "predicate": "borders", "target": "x"},
        ],
    }
    graph = GraphInput.from_json(value)
    assert graph.nodes == ("Paris", "France", "")
    assert graph.edges == ((0, "capital of", 1), (1, "borders", 2))


def test_vectors_are_read_as_float32_rows() -> None:
    value = {
        "nodes": [{"name": "a", "vector": [1, 0]}, {"name": "b", "vector": [0.5, 0]}],
        "edges": [{"source": 0, "predicate": "r", "target": 1, "vector": [0, 1]}],
    }
    graph = GraphInput.from_json(value)
    assert graph.node_vectors is not None and graph.edge_vectors is not None
    assert graph.node_vectors.dtype == np.float32
    assert graph.node_vectors.tolist() == [[1, 0], [0.5, 0]]
    assert graph.edge_vectors.tolist() == [[0, 1]]


def _nodes(*nodes: object) -> dict[str, object]:
    return {"nodes": list(nodes)}


def _edge(edge: object) -> dict[str, object]:
    return {"nodes": ["Paris", {"id": "f", "name": "France"}], "edges": [[0, "r", 1], edge]}


def _vectors(*vectors: object) -> dict[str, object]:
    return _nodes(*({"name": "a", "vector": vector} for vector in vectors))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "the graph is a NoneType, not an object"),
        ([["a", "r", "b"]], "the graph is a list"),
        ({"nodes": ["a"], "edge": []}, "the graph has an unknown field 'edge'"),
        ({"nodes": "Paris"}, "'nodes' of the graph is not a list"),
        ({"nodes": [], "edges": {}}, "'edges' of the graph is not a list"),
        (_nodes("a", 7), r"nodes\[1\] is a int, not an object"),
        (_nodes({"name": 7}), r"nodes\[0\] has a name that is no text: int"),
        (_nodes({"id": 7}), r"nodes\[0\] has a id that is no text: int"),
        (_nodes({"nmae": "a"}), r"nodes\[0\] has an unknown field 'nmae'"),
        (_nodes({"id": "x"}, {"id": "x"}), r"nodes\[1\] has the id 'x' of nodes\[0\]"),
        (_nodes("\ud800"), r"nodes\[0\] has a name with half a character"),
        (_nodes("a" * 10_001), r"nodes\[0\] has a name of 10,001 characters"),
        (_edge("r"), r"edges\[1\] is a str, not an object"),
        (_edge([0, "r"]), r"edges\[1\] has 2 parts"),
        (_edge({"source": 0, "target": 1}), r"edges\[1\] has no predicate"),
        (_edge([0, None, 1]), r"edges\[1\] has a predicate that is no text"),
        (_edge(["Paris", "r", 1]), r"edges\[1\] names the node id 'Paris', which no node has"),
        (_edge([0, "r", 2]), r"edges\[1\] names node 2, but the graph has 2 nodes"),
        (_edge([-1, "r", 0]), r"edges\[1\] names node -1"),
        (_edge([0, "r", True]), r"edges\[1\] has an end of type bool"),
        (_edge([0, "r", 0.0]), r"edges\[1\] has an end of type float"),
        (_edge([0, "r", None]), r"edges\[1\] has an end of type NoneType"),
        (_vectors([1.0], None), r"nodes\[0\] has a vector and nodes\[1\] has none"),
        (_vectors(None, [1.0]), r"nodes\[1\] has a vector and nodes\[0\] has none"),
        (_vectors([1.0], [1.0, 2.0]), r"nodes\[0\] and nodes\[1\] differ in length"),
        (_vectors([]), r"the vector of nodes\[0\] is not a list of numbers"),
        (_vectors(1.0), r"the vector of nodes\[0\] is not a list of numbers"),
        (_vectors(["1.0"]), "a vector of the nodes holds something that is no number"),
        (_vectors([None]), "a vector of the nodes holds something that is no number"),
        (_vectors([[1.0]]), "a vector of the nodes holds something that is no number"),
        (_vectors([[1.0], 2.0]), "a vector of the nodes holds something that is no number"),
        (_vectors([10**400]), "a vector of the nodes holds something that is no number"),
        (_vectors([1.0], [float("nan")]), r"the vector of nodes\[1\] holds a NaN or infinite"),
        (_vectors([float("-inf")]), r"the vector of nodes\[0\] holds a NaN or infinite"),
        (_vectors([1e300]), r"the vector of nodes\[0\] holds a NaN or infinite"),
        (_edge({"source": 0, "predicate": "r", "target": 1, "vector": [1]}), r"edges\[1\] has a"),
    ],
)
def test_a_malformed_graph_is_refused_with_the_place(value: object, message: str) -> None:
    with pytest.raises(GraphInputError, match=message):
        GraphInput.from_json(value)


def test_vectors_of_nodes_and_edges_have_one_length() -> None:
    value = {
        "nodes": [{"name": "a", "vector": [1, 0]}],
        "edges": [{"source": 0, "predicate": "r", "target": 0, "vector": [1]}],
    }
    with pytest.raises(GraphInputError, match="vectors of nodes have 2 values, those of edges 1"):
        GraphInput.from_json(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"nodes": [None] * (MOST_NODES + 1)}, "10,001 nodes, at most 10,000"),
        ({"nodes": ["a"], "edges": [None] * 100_000}, "100,000 edges, at most 10,000"),
    ],
)
def test_too_large_a_graph_is_refused_unread(value: object, message: str) -> None:
    with pytest.raises(GraphInputError, match=message):
        GraphInput.from_json(value)


def test_the_limits_may_be_raised() -> None:
    edges = [[0, "r", 1]] * (MOST_EDGES + 1)
    graph = GraphInput.from_json({"nodes": ["a", "b"], "edges": edges}, most_edges=len(edges))
    assert len(graph.edges) == len(edges)


def test_the_error_says_what_to_do() -> None:
    with pytest.raises(GraphInputError) as caught:
        GraphInput.from_json(_edge(["x", "r", 1]))
    assert caught.value.code == "bad_graph"
    assert caught.value.hint == 'give the node as {"id": ..., "name": ...}, or write its number'


@pytest.mark.parametrize("edge", [(0, "r", 2), (2, "r", 0), (-1, "r", 0)])
def test_an_edge_of_a_graph_made_in_python_has_its_nodes(edge: tuple[int, str, int]) -> None:
    with pytest.raises(GraphInputError, match=r"edges\[0\] names node (2|-1), but .* 2 nodes"):
        GraphInput(("a", "b"), (edge,))


def test_vectors_of_a_graph_made_in_python_fit_it() -> None:
    with pytest.raises(GraphInputError, match=r"vectors of nodes have the shape \(2, 3\)"):
        GraphInput(("a",), (), np.zeros((2, 3), dtype=np.float32))
