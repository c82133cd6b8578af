"""Several graphs as one of as many parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.data.data import BaseData


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
