"""From node states to the graph: pooling, a pointer at the likely answer, and the losses."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch_geometric.utils import scatter, softmax

from hoptrail.models.graph_llm.encoder import GraphBatch

_SMALLEST = 1e-9


class PooledReadout(nn.Module):
    """Joins the mean and the maximum of a graph's node states.

    A graph without nodes has a vector of its own, which is learned.

    Source: "Graph-augmented LLaMA", the question-aware encoder's pooling.

    Args:
        hidden: Length of the node states.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.empty = nn.Parameter(torch.zeros(2 * hidden))

    def forward(self, states: Tensor, batch: GraphBatch) -> Tensor:
        """Return one vector per graph, shape (b, 2 * hidden), for node states (n, hidden)."""
        graphs = batch.num_graphs
        pooled = torch.cat(
            [
                scatter(states, batch.batch, dim_size=graphs, reduce="mean"),
                scatter(states, batch.batch, dim_size=graphs, reduce="max"),
            ],
            dim=1,
        )
        sizes = torch.bincount(batch.batch, minlength=graphs)
        return torch.where((sizes == 0)[:, None], self.empty, pooled)


class NodePointer(nn.Module):
    """Gives each node of a graph its probability to be the answer.

    Args:
        hidden: Length of the node states.
        dim: Length of the question's vector.
    """

    def __init__(self, hidden: int, dim: int) -> None:
        super().__init__()
        self.question = nn.Linear(dim, hidden)
        self.score = nn.Sequential(
            nn.Linear(3 * hidden, hidden), nn.GELU(), nn.Linear(hidden, 1, bias=False)
        )

    def forward(self, states: Tensor, batch: GraphBatch) -> Tensor:
        """Return the probabilities, shape (n,); those of a graph's nodes add up to 1."""
        question = self.question(batch.question)[batch.batch]
        scores = self.score(torch.cat([states, question, states * question], dim=1))
        probabilities: Tensor = softmax(scores.squeeze(1), batch.batch, num_nodes=batch.num_graphs)
        return probabilities


def pointer_loss(probabilities: Tensor, is_answer: Tensor, batch: GraphBatch) -> Tensor | None:
    """Return minus the mean log probability of the answer nodes; None where no graph holds one.

    Args:
        probabilities: Of the nodes, shape (n,).
        is_answer: Which nodes are answers, shape (n,).
        batch: Their graphs.
    """
    found = scatter(probabilities * is_answer, batch.batch, dim_size=batch.num_graphs)
    possible = scatter(is_answer.float(), batch.batch, dim_size=batch.num_graphs) > 0
    if not possible.any():
        return None
    loss: Tensor = -(found[possible] + _SMALLEST).log().mean()
    return loss


def pointed_names(probabilities: Tensor, batch: GraphBatch, embeddings: nn.Module) -> Tensor:
    """Return the name of each graph's likeliest node in the model's token embeddings.

    The name is spelled as the model has learned to read it; a mixture of names it has not. The
    gradient is that of the mixture by probability (the straight-through estimator of Bengio,
    Leonard, Courville 2013, section 4), so that the language loss, too, teaches where to point.

    Args:
        probabilities: Of the nodes, shape (n,).
        batch: Graphs whose `name_ids` have shape (n, tokens).
        embeddings: The model's token embeddings.

    Returns:
        Shape (b, tokens, embedding); zeros for a graph without nodes.
    """
    likeliest = scatter(probabilities, batch.batch, dim_size=batch.num_graphs, reduce="max")
    is_first = _first_of_each(probabilities.detach() == likeliest[batch.batch], batch.batch)
    weights = is_first + probabilities - probabilities.detach()
    spelled = embeddings(batch.name_ids).float() * weights[:, None, None]
    names: Tensor = scatter(spelled, batch.batch, dim_size=batch.num_graphs)
    return names


def _first_of_each(is_best: Tensor, graph: Tensor) -> Tensor:
    """Return 1 for the first best node of each graph, else 0, shape (n,)."""
    places = is_best.nonzero().squeeze(1)
    graphs = graph[places]
    is_new = torch.ones_like(graphs, dtype=torch.bool)
    is_new[1:] = graphs[1:] != graphs[:-1]
    chosen = torch.zeros(len(is_best), device=graph.device)
    chosen[places[is_new]] = 1
    return chosen


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses of a batch, each a scalar that carries gradients.

    Attributes:
        language: Mean next-token loss on the answer's tokens.
        nodes: How badly the encoder's readout finds the answer nodes; None where the model has no
            such readout, or no graph of the batch holds an answer.
    """

    language: Tensor
    nodes: Tensor | None = None

    def total(self, node_weight: float) -> Tensor:
        """Return `language + node_weight * nodes`."""
        if self.nodes is None or node_weight == 0:
            return self.language
        return self.language + node_weight * self.nodes
