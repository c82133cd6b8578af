"""Message passing whose messages and attention both see the edge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing, TransformerConv
from torch_geometric.utils import softmax

Layer = Literal["gat", "transformer"]


def _remove_generated(layer: type[MessagePassing]) -> None:
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
    return layer
