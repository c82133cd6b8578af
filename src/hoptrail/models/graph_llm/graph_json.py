"""Reads a graph from the JSON of a request; every mistake is named with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import GraphInputError

_NODE_FIELDS = ("id", "name", "vector")
_EDGE_FIELDS = ("source", "predicate", "target", "vector")
_LONGEST_TEXT = 10_000  # characters


class GraphParts(NamedTuple):
    """The parts that a `GraphInput` is made of."""

    nodes: tuple[str, ...]
    edges: tuple[tuple[int, str, int], ...]
    node_vectors: FloatArray | None
    edge_vectors: FloatArray | None


def read_graph(value: object, *, most_nodes: int, most_edges: int) -> GraphParts:
    """Return the parts of a graph in its JSON form.

    Args:
        value: `{"nodes": [...], "edges": [...]}`, as `GraphInput.from_json` describes.
        most_nodes: More nodes are refused before any of them is looked at.
        most_edges: Likewise for edges.

    Raises:
        GraphInputError: If a part has the wrong form, or names a node that is not there.
    """
    graph = _object(value, ("nodes", "edges"), "the graph")
    node_items = _items(graph, "nodes", most_nodes)
    edge_items = _items(graph, "edges", most_edges)
    numbers: dict[str, int] = {}
    nodes, node_vectors = [], []
    for number, item in enumerate(node_items):
        name, vector = _node(item, number, numbers)
        nodes.append(name)
        node_vectors.append(vector)
    edges, edge_vectors = [], []
    for number, item in enumerate(edge_items):
        place = f"edges[{number}]"
        source, predicate, target, vector = _edge(item, place)
        edges.append(
            (
                _node_number(source, len(nodes), numbers, place),
                _text(predicate, place, "predicate"),
                _node_number(target, len(nodes), numbers, place),
            )
        )
        edge_vectors.append(vector)
    return GraphParts(
        tuple(nodes), tuple(edges), _matrix(node_vectors, "nodes"), _matrix(edge_vectors, "edges")
    )


def _object(value: object, fields: Sequence[str], place: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise GraphInputError(
            f"{place} is a {type(value).__name__}, not an object", hint=_fields_hint(fields)
        )
    for key in value:
        if key not in fields:
            raise GraphInputError(
                f"{place} has an unknown field {key!r}", hint=_fields_hint(fields)
            )
    return value


def _fields_hint(fields: Sequence[str]) -> str:
    return f"its fields are {', '.join(fields)}"


def _items(graph: Mapping[str, object], field: str, most: int) -> Sequence[object]:
    items = graph.get(field, ())
    if not isinstance(items, list | tuple):
        raise GraphInputError(f"{field!r} of the graph is not a list")
    if len(items) > most:
        raise GraphInputError(
            f"the graph has {len(items):,} {field}, at most {most:,} are read",
            hint="send the part that concerns the question",
        )
    return items


def _node(item: object, number: int, numbers: dict[str, int]) -> tuple[str, object]:
    """Return a node's name and vector; its id is entered into `numbers`."""
    place = f"nodes[{number}]"
    if isinstance(item, str):
        return _text(item, place, "name"), None
    node = _object(item, _NODE_FIELDS, place)
    if node.get("id") is not None:
        id_ = _text(node["id"], place, "id")
        if id_ in numbers:
            raise GraphInputError(f"{place} has the id {id_!r} of nodes[{numbers[id_]}]")
        numbers[id_] = number
    return _text(node.get("name", ""), place, "name"), node.get("vector")


def _edge(item: object, place: str) -> tuple[object, object, object, object]:
    """Return an edge's source, predicate, target and vector as they were given."""
    if isinstance(item, list | tuple):
        if len(item) != 3:
            raise GraphInputError(
                f"{place} has {len(item)} parts", hint="an edge is [source, predicate, target]"
            )
        return item[0], item[1], item[2], None
    edge = _object(item, _EDGE_FIELDS, place)
    for field in _EDGE_FIELDS[:3]:
        if field not in edge:
            raise GraphInputError(f"{place} has no {field}")
    return edge["source"], edge["predicate"], edge["target"], edge.get("vector")


def _node_number(end: object, nodes: int, numbers: Mapping[str, int], place: str) -> int:
    if isinstance(end, str):
        if end in numbers:
            return numbers[end]
        raise GraphInputError(
            f"{place} names the node id {end!r}, which no node has",
            hint='give the node as {"id": ..., "name": ...}, or write its number',
        )
    if isinstance(end, bool) or not isinstance(end, int):
        raise GraphInputError(
            f"{place} has an end of type {type(end).__name__}",
            hint="source and target are numbers of nodes, or ids",
        )
    if not 0 <= end < nodes:
        raise GraphInputError(f"{place} names node {end}, but the graph has {nodes:,} nodes")
    return end


def _text(value: object, place: str, field: str) -> str:
    if not isinstance(value, str):
        raise GraphInputError(f"{place} has a {field} that is no text: {type(value).__name__}")
    if len(value) > _LONGEST_TEXT:
        raise GraphInputError(
            f"{place} has a {field} of {len(value):,} characters, "
            f"at most {_LONGEST_TEXT:,} are read"
        )
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise GraphInputError(f"{place} has a {field} with half a character in it") from error
    return value


def _matrix(vectors: Sequence[object], field: str) -> FloatArray | None:
    """Return the items' vectors, shape (len(vectors), dim), or None where none has one."""
    given = [number for number, vector in enumerate(vectors) if vector is not None]
    if not given:
        return None
    if len(given) < len(vectors):
        without = next(number for number, vector in enumerate(vectors) if vector is None)
        raise GraphInputError(
            f"{field}[{given[0]}] has a vector and {field}[{without}] has none",
            hint=f"give all {field} vectors, or none",
        )
    length = _vector_length(vectors[0], f"{field}[0]")
    for number, vector in enumerate(vectors):
        if _vector_length(vector, f"{field}[{number}]") != length:
            raise GraphInputError(
                f"the vectors of {field}[0] and {field}[{number}] differ in length"
            )
    return _numbers(vectors, field)


def _numbers(vectors: Sequence[object], field: str) -> FloatArray:
    no_number = GraphInputError(f"a vector of the {field} holds something that is no number")
    try:
        matrix = np.array(vectors)
    except ValueError as error:  # lists within some of the vectors
        raise no_number from error
    if matrix.ndim != 2 or matrix.dtype.kind not in "iuf":
        raise no_number
    with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused as such
        return matrix.astype(np.float32)


def _vector_length(vector: object, place: str) -> int:
    if not isinstance(vector, list | tuple) or not vector:
        raise GraphInputError(f"the vector of {place} is not a list of numbers")
    return len(vector)
