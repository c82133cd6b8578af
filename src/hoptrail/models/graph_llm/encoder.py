"""The question-aware graph encoder: gates, attention over edges, a state for every node."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from hoptrail.models.graph_llm.attention_layers import Layer, make_layer
from hoptrail.models.graph_llm.graph_batch import GraphBatch

_DIRECTIONS = 2
_NODE_FEATURES = 2
_EDGE_FEATURES = 2

Gate = Literal["mlp", "cosine", "none"]

_SHARE_OF_DIM = 4


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
