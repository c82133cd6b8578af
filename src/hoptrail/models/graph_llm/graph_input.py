"""The subgraph that a question is asked over, as the graph language model takes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import GraphInputError
from hoptrail.models.graph_llm.graph_json import read_graph

MOST_NODES = 10_000
MOST_EDGES = 10_000


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
