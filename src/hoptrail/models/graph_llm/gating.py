"""Gates that scale a graph's features by how they relate to the question."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

Gate = Literal["mlp", "cosine", "none"]

_SHARE_OF_DIM = 4


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
