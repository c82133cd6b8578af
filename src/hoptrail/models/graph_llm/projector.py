"""The way from a graph's vector to token embeddings."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Projector(nn.Module):
    """Turns a graph's vector into token embeddings of the language model's usual length.

    Linear, sigmoid, linear, as Hmaied et al. 2025 have it (docs/graph_llm.md); then each token is
    scaled to a learned length that starts as that of the model's own embeddings: a token of another
    size would drown the prompt or vanish in it. Before training the tokens are close to those of a
    text, which a frozen model reads better than noise.

    Source: "Graph-augmented LLaMA", the projector (1024 to 2048 to the model's embedding size);
    Lester et al., "The Power of Scale for Parameter-Efficient Prompt Tuning" (2021), section 3.2,
    for the start from a text.

    Args:
        dim: Length of the graph's vector.
        hidden: Length of the hidden layer.
        start: Embeddings of the text that the tokens start from, shape (tokens, embedding).
    """

    def __init__(self, dim: int, *, hidden: int, start: Tensor) -> None:
        super().__init__()
        self.shape = start.shape
        last = nn.Linear(hidden, start.numel())
        self.layers = nn.Sequential(nn.Linear(dim, hidden), nn.Sigmoid(), last)
        self.norm = nn.RMSNorm(start.shape[1])
        with torch.no_grad():
            scales = start.square().mean(dim=1, keepdim=True).sqrt()
            last.bias.copy_((start / scales).flatten())
            self.norm.weight.fill_(float(scales.mean()))

    def forward(self, graphs: Tensor) -> Tensor:
        """Return the tokens of each graph, shape (b, tokens, embedding), for shape (b, dim)."""
        tokens: Tensor = self.norm(self.layers(graphs).unflatten(1, self.shape))
        return tokens
