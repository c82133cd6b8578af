"""Prompts of different lengths in one batch."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def padded(sequences: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """Return sequences of embeddings side by side, padded on the left.

    Args:
        sequences: Each of shape (length, embedding).

    Returns:
        The embeddings, shape (b, longest, embedding), the attention mask and the positions, both
        of shape (b, longest); the first true place of each sequence has position 0.
    """
    inputs = pad_sequence(list(sequences), batch_first=True, padding_side="left")
    ones = [torch.ones(len(item), dtype=torch.long, device=item.device) for item in sequences]
    mask = pad_sequence(ones, batch_first=True, padding_side="left")
    return inputs, mask, (mask.cumsum(dim=1) - 1).clamp_min(0)
