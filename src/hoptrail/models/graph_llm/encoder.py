"""The question-aware graph encoder: gates, attention over edges, a state for every node."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity
from torch_geometric.data import Batch, Data
from torch_geometric.data.data import BaseData
from torch_geometric.nn import MessagePassing, TransformerConv
from torch_geometric.utils import softmax

_DIRECTIONS = 2
_NODE_FEATURES = 2
_EDGE_FEATURES = 2

Gate = Literal["mlp", "cosine", "none"]

_SHARE_OF_DIM = 4
Layer = Literal["gat", "transformer"]


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """Graphs side by side, n nodes and m edges in all; edges count in both directions.

    Attributes:
        x: Node vectors, shape (n, dim).
        edge_index: Senders and receivers, shape (2, m).
        edge_attr: Edge vectors, shape (m, dim).
        edge_direction: 0 for an edge, 1 for an inverse, shape (m,).
        edge_rank: 1 / (1 + place of the edge), shape (m,).
        question: Vectors of the questions, shape (num_graphs, dim).
        name_ids: First tokens of the nodes' names, shape (n, tokens).
        node_named: 1 for a node that the question names, shape (n,).
        node_is_answer: Whether a node is an answer, shape (n,).
        batch: The graph of each node, shape (n,).
        num_graphs: Number of graphs.
    """

    x: Tensor
    edge_index: Tensor
    edge_attr: Tensor
    edge_direction: Tensor
    edge_rank: Tensor
    question: Tensor
    name_ids: Tensor
    node_named: Tensor
    node_is_answer: Tensor
    batch: Tensor
    num_graphs: int

    @classmethod
    def of(cls, graphs: Sequence[Data], device: torch.device | str = "cpu") -> Self:
        """Return graphs that `GraphVectorizer` made as a batch on a device.

        Args:
            graphs: At least one; without `node_is_answer` none of their nodes is an answer.
            device: Where the tensors go.
        """
        several: list[BaseData] = list(graphs)
        batch: Any = Batch.from_data_list(several)
        joined = batch.to(device)
        none = torch.zeros(joined.num_nodes, dtype=torch.bool, device=device)
        return cls(
            x=joined.x,
            edge_index=joined.edge_index,
            edge_attr=joined.edge_attr,
            edge_direction=joined.edge_direction,
            edge_rank=joined.edge_rank,
            question=joined.question,
            name_ids=joined.name_ids,
            node_named=joined.node_named,
            node_is_answer=joined.node_is_answer if "node_is_answer" in joined else none,
            batch=joined.batch,
            num_graphs=joined.num_graphs,
        )


def _remove_generated(layer: type[nn.Module]) -> None:
    """Remove the source files that PyG has written for a layer's loaded methods.

    It leaves one in the folder for temporary files for each process (`template.py`).
    """
    prefix = f"{layer.__module__}_{layer.__name__}_"
    for name, module in list(sys.modules.items()):
        if name.startswith(prefix) and module.__file__:
            Path(module.__file__).unlink(missing_ok=True)


class EdgeAttention(MessagePassing):  # type: ignore[misc] # torch_geometric ships no types
    """Graph attention over neighbours together with the edges that lead to them.

    PyG's attention layers let an edge decide only how much a neighbour weighs. A node with one
    neighbour would then never learn by which relation it is reached, so here the edge is part of
    the message too.

    Source: Brody, Alon, Yahav, "How Attentive are Graph Attention Networks?" (2022), equation 7,
    with edges in the values.

    Args:
        hidden: Length of node and edge states; divisible by `heads`.
        heads: Attention heads.
    """

    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__(aggr="add", node_dim=0)
        _remove_generated(type(self))
        self.heads = heads
        self.to_receiver = nn.Linear(hidden, hidden)
        self.to_sender = nn.Linear(hidden, hidden, bias=False)
        self.to_edge = nn.Linear(hidden, hidden, bias=False)
        self.attention = nn.Parameter(torch.empty(1, heads, hidden // heads))
        nn.init.xavier_uniform_(self.attention)

    def forward(self, nodes: Tensor, edge_index: Tensor, edges: Tensor) -> Tensor:
        """Return what each node receives, shape (n, hidden).

        Args:
            nodes: Node states, shape (n, hidden).
            edge_index: Senders and receivers, shape (2, m).
            edges: Edge states, shape (m, hidden).
        """
        received: Tensor = self.propagate(
            edge_index,
            receiver=self._by_head(self.to_receiver(nodes)),
            sender=self._by_head(self.to_sender(nodes)),
            edges=self._by_head(self.to_edge(edges)),
            size=(len(nodes), len(nodes)),
        )
        return received.flatten(1)

    def message(  # pyright: ignore[reportIncompatibleMethodOverride] # PyG passes what is named
        self,
        receiver_i: Tensor,
        sender_j: Tensor,
        edges: Tensor,
        index: Tensor,
        size_i: int | None,
    ) -> Tensor:
        """Return each edge's message, shape (m, heads, hidden / heads)."""
        sent = sender_j + edges
        scores = (torch.nn.functional.leaky_relu(receiver_i + sent) * self.attention).sum(-1)
        weights: Tensor = softmax(scores, index, num_nodes=size_i)
        return sent * weights.unsqueeze(-1)

    def _by_head(self, states: Tensor) -> Tensor:
        return states.view(len(states), self.heads, states.shape[1] // self.heads)


def make_layer(kind: Layer, hidden: int, heads: int) -> nn.Module:
    """Return an attention layer that takes (nodes, edge_index, edges) and keeps their length.

    `transformer` is the layer of Shi et al., "Masked Label Prediction" (2021), equations 3 and 4.
    """
    if kind == "gat":
        return EdgeAttention(hidden, heads)
    layer: nn.Module = TransformerConv(hidden, hidden // heads, heads=heads, edge_dim=hidden)
    _remove_generated(TransformerConv)
    return layer


class GraphEncoder(nn.Module):
    """Turns graphs of text vectors into node states that know the question.

    Node and edge vectors pass a gate that compares them with the question, then attention layers
    with residual, layer norm and dropout. Numbers that a gated vector no longer shows stand beside
    it: how similar it is to the question, whether the question names the node, how well the
    retriever ranked the edge, and which way the edge is passed.

    Source: "Graph-augmented LLaMA" (question-aware GAT); DAGR for the graph transformer.

    Args:
        dim: Length of the text vectors.
        hidden: Length of the node states.
        layers: Attention layers, so the reach of a node in hops.
        heads: Attention heads; divides `hidden`.
        layer: Kind of the attention.
        gate: Kind of the gates.
        dropout: Share of state entries that are dropped while training.
        feature_dropout: Share of entries of the text vectors that are.
    """

    def __init__(
        self,
        dim: int,
        *,
        hidden: int,
        layers: int,
        heads: int,
        layer: Layer,
        gate: Gate,
        dropout: float,
        feature_dropout: float,
    ) -> None:
        super().__init__()
        self.node_gate = make_gate(gate, dim)
        self.edge_gate = make_gate(gate, dim)
        self.question = nn.Linear(dim, hidden)
        self.nodes = nn.Linear(dim, hidden)
        self.node_features = nn.Linear(_NODE_FEATURES, hidden, bias=False)
        self.edges = nn.Linear(dim, hidden)
        self.edge_features = nn.Linear(_EDGE_FEATURES, hidden, bias=False)
        self.direction = nn.Embedding(_DIRECTIONS, hidden)
        self.layers = nn.ModuleList(make_layer(layer, hidden, heads) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)
        self.feature_dropout = nn.Dropout(feature_dropout)

    def forward(self, batch: GraphBatch) -> Tensor:
        """Return the states of all nodes of a batch, shape (n, hidden).

        Args:
            batch: Graphs as `GraphVectorizer` makes them.
        """
        nodes, edges = self._node_states(batch), self._edge_states(batch)
        for attend, norm in zip(self.layers, self.norms, strict=True):
            received = nn.functional.gelu(attend(nodes, batch.edge_index, edges))
            nodes = norm(nodes + self.dropout(received))
        return nodes

    def _node_states(self, batch: GraphBatch) -> Tensor:
        question = batch.question[batch.batch]
        known = torch.stack([cosine_similarity(batch.x, question), batch.node_named], dim=1)
        gated = self.feature_dropout(self.node_gate(batch.x, question))
        states: Tensor = self.nodes(gated) + self.node_features(known)
        return states + self._questions(batch)[batch.batch]

    def _edge_states(self, batch: GraphBatch) -> Tensor:
        graph = batch.batch[batch.edge_index[0]]
        question = batch.question[graph]
        similar = cosine_similarity(batch.edge_attr, question)
        known = torch.stack([similar, batch.edge_rank], dim=1)
        gated = self.feature_dropout(self.edge_gate(batch.edge_attr, question))
        states = self.edges(gated) + self.edge_features(known) + self._questions(batch)[graph]
        directed: Tensor = states + self.direction(batch.edge_direction)
        return directed

    def _questions(self, batch: GraphBatch) -> Tensor:
        states: Tensor = self.question(self.feature_dropout(batch.question))
        return states


class DistanceGate(nn.Module):
    """Scales each feature vector by a learned function of its distance to the question.

    The gate is `sigmoid(MLP(|v - q|))`, one number per vector, where `v` and `q` are unit vectors.

    Source: "Graph-augmented LLaMA", the question-aware encoder as its figure and its released code
    have it.

    Args:
        dim: Length of the vectors.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        hidden = max(1, dim // _SHARE_OF_DIM)
        self.score = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, vectors: Tensor, question: Tensor) -> Tensor:
        """Return the scaled vectors; both arguments have shape (n, dim), row by row."""
        return vectors * torch.sigmoid(self.score((vectors - question).abs()))


class CosineGate(nn.Module):
    """Scales each feature vector by its cosine similarity to the question, where positive.

    Source: "Graph-augmented LLaMA", the question-aware encoder as its text has it.
    """

    def forward(self, vectors: Tensor, question: Tensor) -> Tensor:
        """Return the scaled vectors; both arguments have shape (n, dim), row by row."""
        return vectors * cosine_similarity(vectors, question, dim=-1).clamp_min(0).unsqueeze(-1)


class OpenGate(nn.Module):
    """Lets every feature vector through as it is."""

    def forward(self, vectors: Tensor, question: Tensor) -> Tensor:
        """Return the vectors."""
        return vectors


def make_gate(kind: Gate, dim: int) -> nn.Module:
    """Return the gate of that kind for vectors of so many dimensions."""
    if kind == "mlp":
        return DistanceGate(dim)
    return CosineGate() if kind == "cosine" else OpenGate()
