"""Keys and values of the text before the graph tokens, computed once per text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import DynamicCache, PreTrainedModel


@dataclass(frozen=True, slots=True)
class ReadTexts:
    """A batch of texts that a model has read, padded on the left.

    Attributes:
        cache: Keys and values of all layers; what is read next continues the texts.
        mask: Shape (b, longest), 1 for a token.
        lengths: Tokens of each text, shape (b,).
    """

    cache: DynamicCache
    mask: Tensor
    lengths: Tensor


class TextStates:
    """Keys and values of texts under a frozen model, kept in memory.

    A token attends to those before it alone. So with the graph tokens behind a text, its keys and
    values are the same in every step, whatever the graph tokens are: a step computes, and keeps
    for the gradient, the few tokens from there on. That is exact, up to rounding. It does not hold
    for graph tokens before the text, nor for a model whose adapters train.

    Args:
        llm: The frozen model.
        most_bytes: Memory for what is kept; texts beyond it are read anew each time.
    """

    def __init__(self, llm: PreTrainedModel, most_bytes: int) -> None:
        self._llm = llm
        self._room = most_bytes
        self._kept: dict[tuple[int, ...], Tensor] = {}

    def read(self, texts: Sequence[tuple[int, ...]]) -> ReadTexts:
        """Return the states of texts, each of one token id or more."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._kept))
        computed = dict(zip(missing, self._compute(missing), strict=True))
        for text, states in computed.items():
            self._keep(text, states)
        device = self._llm.device
        rows = [self._kept[text] if text in self._kept else computed[text] for text in texts]
        # (b, longest, layers, 2, heads, head size)
        joined = pad_sequence(rows, batch_first=True, padding_side="left").to(device)
        cache = DynamicCache()
        for layer, (keys, values) in enumerate(joined.permute(2, 3, 0, 4, 1, 5)):
            cache.update(keys, values, layer)
        lengths = torch.tensor([len(text) for text in texts], device=device)
        columns = torch.arange(joined.shape[1], device=device)
        mask = (columns >= joined.shape[1] - lengths[:, None]).long()
        return ReadTexts(cache, mask, lengths)

    @torch.no_grad()
    def _compute(self, texts: Sequence[tuple[int, ...]]) -> list[Tensor]:
        """Return keys and values, each of shape (length, layers, 2, heads, head size)."""
        if not texts:
            return []
        # Padded on the right: no token attends to what comes after it, so no mask is needed.
        ids = pad_sequence([torch.tensor(text) for text in texts], batch_first=True)
        cache = DynamicCache()
        self._llm.get_decoder()(
            input_ids=ids.to(self._llm.device), past_key_values=cache, use_cache=True
        )
        layers: list[Any] = list(cache.layers)
        joined = torch.stack([torch.stack([layer.keys, layer.values]) for layer in layers])
        states = joined.permute(2, 4, 0, 1, 3, 5)
        return [row[: len(text)].cpu() for row, text in zip(states, texts, strict=True)]

    def _keep(self, text: tuple[int, ...], states: Tensor) -> None:
        needed = states.numel() * states.element_size()
        if needed <= self._room:
            self._room -= needed
            self._kept[text] = states.clone()  # not a view of the whole batch
