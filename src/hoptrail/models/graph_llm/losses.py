"""Losses of a training batch: the language loss and the readout's."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


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
