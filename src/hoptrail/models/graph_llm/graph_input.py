"""The subgraph that a question is asked over, as the graph language model takes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import GraphInputError

MOST_NODES = 10_000
MOST_EDGES = 10_000
_NODE_FIELDS = ("id", "name", "vector")
_EDGE_FIELDS = ("source", "predicate", "target", "vector")
_LONGEST_TEXT = 10_000  # characters


@dataclass(frozen=True, slots=True, eq=False)
class GraphInput:
    """A question's subgraph, its edges best first; it may be empty.

    Attributes:
        nodes: Names; a node without one has "" or a machine id.
        edges: Number of the source node, predicate, number of the target node.
        node_vectors: Shape (len(nodes), dim), float32; without them the embedder makes them.
        edge_vectors: Shape (len(edges), dim), float32, likewise.

    Raises:
        GraphInputError: If an edge names a node that is not there, or vectors are not finite or
            not one per node or edge, all of one length.
    """

    nodes: tuple[str, ...] = ()
    edges: tuple[tuple[int, str, int], ...] = ()
    node_vectors: FloatArray | None = None
    edge_vectors: FloatArray | None = None

    def __post_init__(self) -> None:
        count = len(self.nodes)
        for number, (source, _, target) in enumerate(self.edges):
            if not (0 <= source < count and 0 <= target < count):
                end = target if 0 <= source < count else source
                raise GraphInputError(
                    f"edges[{number}] names node {end}, but the graph has {count:,} nodes"
                )
        _check_vectors(self.node_vectors, count, "nodes")
        _check_vectors(self.edge_vectors, len(self.edges), "edges")
        if self.node_vectors is not None and self.edge_vectors is not None:
            node_dim, edge_dim = self.node_vectors.shape[1], self.edge_vectors.shape[1]
            if node_dim != edge_dim:
                raise GraphInputError(
                    f"vectors of nodes have {node_dim} values, those of edges {edge_dim}"
                )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphInput):
            return NotImplemented
        return (
            self.nodes == other.nodes
            and self.edges == other.edges
            and _same_vectors(self.node_vectors, other.node_vectors)
            and _same_vectors(self.edge_vectors, other.edge_vectors)
        )

    def __hash__(self) -> int:
        return hash((self.nodes, self.edges))

    @classmethod
    def from_triples(cls, triples: Iterable[tuple[str, str, str]]) -> Self:
        """Return the graph of (subject, predicate, object) triples, best first.

        Equal names are one node, and a repeated triple counts once; each empty name is a node of
        its own.
        """
        names: list[str] = []
        numbers: dict[str, int] = {}
        edges: dict[tuple[int, str, int], None] = {}

        def number_of(name: str) -> int:
            if not name or name not in numbers:
                numbers[name] = len(names)
                names.append(name)
            return numbers[name]

        for subject, predicate, target in triples:
            edges[number_of(subject), predicate, number_of(target)] = None
        return cls(tuple(names), tuple(edges))

    @classmethod
    def from_json(
        cls, value: object, *, most_nodes: int = MOST_NODES, most_edges: int = MOST_EDGES
    ) -> Self:
        """Return the graph of a request.

        Args:
            value: `{"nodes": [...], "edges": [...]}`. A node is its name or
                `{"id": text, "name": text, "vector": [numbers]}`, an edge
                `[source, predicate, target]` or an object with these fields and a `vector`. Source
                and target are a node's number (from 0), or its id. All nodes have a vector or
                none; likewise all edges.
            most_nodes: More are refused.
            most_edges: More are refused.

        Raises:
            GraphInputError: If the graph has another form; the message names the place.
        """
        return cls(*read_graph(value, most_nodes=most_nodes, most_edges=most_edges))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that `from_json` reads."""
        nodes: list[Any] = list(self.nodes)
        if self.node_vectors is not None:
            rows = self.node_vectors.tolist()
            nodes = [
                {"name": name, "vector": vector}
                for name, vector in zip(self.nodes, rows, strict=True)
            ]
        edges: list[Any] = [list(edge) for edge in self.edges]
        if self.edge_vectors is not None:
            rows = self.edge_vectors.tolist()
            edges = [
                {"source": source, "predicate": predicate, "target": target, "vector": vector}
                for (source, predicate, target), vector in zip(self.edges, rows, strict=True)
            ]
        return {"nodes": nodes, "edges": edges}

    def triples(self) -> Iterator[tuple[str, str, str]]:
        """Yield (source name, predicate, target name) of every edge, best first."""
        for source, predicate, target in self.edges:
            yield self.nodes[source], predicate, self.nodes[target]


def _check_vectors(vectors: FloatArray | None, items: int, field: str) -> None:
    if vectors is None:
        return
    if vectors.ndim != 2 or len(vectors) != items:
        raise GraphInputError(
            f"vectors of {field} have the shape {vectors.shape}, not ({items}, dimension)"
        )
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if bad.size:
        raise GraphInputError(f"the vector of {field}[{bad[0]}] holds a NaN or infinite number")


def _same_vectors(one: FloatArray | None, other: FloatArray | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


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
