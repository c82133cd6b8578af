"""A key-value cache whose rows join, grow and leave independently of each other."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin

_FIRST_COLUMNS = 64


class RaggedCache(Cache):
    """Keys and values of many requests, each in a row of its own, from its first column on.

    A row is written where its request stands, so a request that joins is stored once and a step
    copies nothing but the new token: no padding on the left, no joined-up tensors. The space is
    doubled when it runs out, as far as the limits allow. Columns that no token fills hold zeros.

    A forward pass is announced by `begin_prefill` or `begin_step` and closed by `end`.

    Args:
        layers: Number of layers of the model.
        most_rows: Rows that are never exceeded.
        most_columns: Likewise.
        most_tokens: Rows times columns beyond which there is no room to spare.
    """

    def __init__(self, layers: int, *, most_rows: int, most_columns: int, most_tokens: int) -> None:
        self.most_rows, self.most_columns = most_rows, most_columns
        self.most_tokens = most_tokens
        self.lengths: list[int] = []
        self.positions = self.rows = torch.empty(0, dtype=torch.long)
        self._joining: list[int] = []
        self._layers = [_RaggedLayer(self) for _ in range(layers)]
        super().__init__(layers=list(self._layers))

    @property
    def joining(self) -> int:
        """Number of requests that the announced pass prefills; 0 when it makes a step."""
        return len(self._joining)

    @property
    def longest(self) -> int:
        """Tokens stored in the longest row."""
        return max(self.lengths, default=0)

    def begin_prefill(self, lengths: list[int]) -> None:
        """Announce a pass over new requests, padded on the right to the longest.

        Args:
            lengths: Tokens of each.
        """
        self._joining = list(lengths)

    def begin_step(self, device: torch.device) -> Tensor:
        """Announce a pass of one token for every row and return the tokens' positions (n, 1)."""
        self._joining = []
        self.positions = torch.tensor(self.lengths, device=device)
        self.rows = torch.arange(len(self.lengths), device=device)
        return self.positions[:, None]

    def end(self) -> None:
        """Count what the pass has stored."""
        if self._joining:
            self.lengths += self._joining
            self._joining = []
        else:
            self.lengths = [length + 1 for length in self.lengths]

    @torch.inference_mode()
    def remove(self, row: int) -> None:
        """Free a row; the last row takes its number."""
        last = len(self.lengths) - 1
        for layer in self._layers:
            layer.move(last, row, self.lengths[last])
        self.lengths[row] = self.lengths[last]
        self.lengths.pop()
        if not self.lengths:
            for layer in self._layers:
                layer.reset()


class _RaggedLayer(CacheLayerMixin):
    """One layer's tensors, each of shape (rows, heads, columns, head size)."""

    def __init__(self, cache: RaggedCache) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._cache = cache
        self._keys = self._values = torch.empty(0)

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Make room for the first tokens."""
        columns = max(_FIRST_COLUMNS, key_states.shape[2])
        self._keys = _room_like(key_states, key_states.shape[0], columns)
        self._values = _room_like(value_states, value_states.shape[0], columns)
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Store the pass's keys and values and return those that its queries see."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        cache = self._cache
        first = len(cache.lengths)
        if cache.joining:
            width = key_states.shape[2]
            self._reserve(first + cache.joining, max(width, cache.longest))
            self._keys[first : first + cache.joining, :, :width] = key_states
            self._values[first : first + cache.joining, :, :width] = value_states
            return key_states, value_states
        columns = cache.longest + 1
        self._reserve(first, columns)
        self._keys[cache.rows, :, cache.positions] = key_states[:, :, 0]
        self._values[cache.rows, :, cache.positions] = value_states[:, :, 0]
        return self._keys[:first, :, :columns], self._values[:first, :, :columns]

    def move(self, source: int, target: int, length: int) -> None:
        """Copy a row over another and clear it."""
        for states in (self._keys, self._values):
            if source != target:
                states[target].zero_()
                states[target, :, :length] = states[source, :, :length]
            # What a request left must not reach a later one through a weight of 0 times NaN.
            states[source].zero_()

    def _reserve(self, rows: int, columns: int) -> None:
        """Make room for so many rows and columns, doubling what is short within the limits.

        What lies beyond them is given back where the whole would pass the limit of tokens.
        """
        cache = self._cache
        stored_rows, _, stored_columns, _ = self._keys.shape
        if rows <= stored_rows and columns <= stored_columns:
            return
        more_rows = 2 * stored_rows if rows > stored_rows else stored_rows
        more_columns = 2 * stored_columns if columns > stored_columns else stored_columns
        more_rows = max(rows, min(more_rows, cache.most_rows))
        more_columns = min(more_columns, cache.most_columns)
        columns = max(columns, min(more_columns, cache.most_tokens // more_rows))
        rows = max(rows, min(more_rows, cache.most_tokens // columns))
        self._keys = _resized(self._keys, rows, columns)
        self._values = _resized(self._values, rows, columns)

    def reset(self) -> None:
        """Give the memory back."""
        self._keys = self._values = torch.empty(0)
        self.is_initialized = False

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Return how many columns the queries see, and where these begin."""
        return self.get_seq_length() + query_length, 0

    def get_seq_length(self) -> int:
        """Return the columns before the pass's tokens."""
        return 0 if self._cache.joining else self._cache.longest

    def get_max_length(self) -> int:
        """Return -1: the room grows as needed."""
        return -1

    get_max_cache_shape = get_max_length  # its earlier name in transformers


def _room_like(states: Tensor, rows: int, columns: int) -> Tensor:
    return states.new_zeros((rows, states.shape[1], columns, states.shape[3]))


def _resized(states: Tensor, rows: int, columns: int) -> Tensor:
    kept = states[:rows, :, :columns]
    room = _room_like(states, rows, columns)
    room[: kept.shape[0], :, : kept.shape[2]] = kept
    return room
