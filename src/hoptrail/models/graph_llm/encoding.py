"""Inputs that are computed once: vectors of a question's subgraph, and states of its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch_geometric.data import Data
from transformers import DynamicCache, PreTrainedModel

from hoptrail.core.embedding import Embedder, FloatArray
from hoptrail.core.errors import GraphInputError
from hoptrail.core.names import is_unnamed, triple_words
from hoptrail.core.text import name_key
from hoptrail.models.graph_llm.config import NAME_TOKENS
from hoptrail.models.graph_llm.graph_input import GraphInput

_TEXTS_AT_ONCE = 4096  # an embedder that caches keeps so many if it is interrupted


class GraphVectorizer:
    """Turns questions with their subgraphs into PyG `Data`.

    A node's vector is that of its name, an edge's that of head, predicate and tail as words; a node
    without a name has the vector of the empty text. Vectors that a graph brings along are taken
    instead, scaled to unit length.

    The fields of `Data`, for n nodes and m edges:

    - `x`: node vectors, shape (n, dim), float32.
    - `edge_index`: shape (2, 2m): the edges, then their inverses in the same order.
    - `edge_attr`: edge vectors, shape (2m, dim), float32.
    - `edge_direction`: shape (2m,): 0 for an edge, 1 for an inverse.
    - `edge_rank`: shape (2m,), float32: 1 / (1 + place of the edge).
    - `question`: the question's vector, shape (1, dim), float32.
    - `name_ids`: first tokens of the nodes' names, shape (n, NAME_TOKENS), line breaks behind them.
    - `node_named`: shape (n,), float32: 1 for a node that the question names, else 0.
    - `node_text` and `edge_text`: what was embedded, n and m texts.

    Source: "Graph-augmented LLaMA", steps 1 and 2.

    Args:
        embedder: Makes the vectors of texts.
        tokenize: Returns the base model's tokens of a text.
    """

    def __init__(self, embedder: Embedder, tokenize: Callable[[str], list[int]]) -> None:
        self._embedder = embedder
        self._tokenize = tokenize
        self._line_break = tokenize("\n")[0]

    def encode(self, question: str, graph: GraphInput) -> Data:
        """Return a question and its subgraph as vectors.

        Raises:
            GraphInputError: If vectors of the graph are not as long as the embedder's.
        """
        return self.encode_all([(question, graph)])[0]

    def encode_all(self, items: Sequence[tuple[str, GraphInput]]) -> list[Data]:
        """Return many questions with their subgraphs; each distinct text is embedded once.

        Raises:
            GraphInputError: As `encode`.
        """
        for _, graph in items:
            self._check(graph.node_vectors, "nodes")
            self._check(graph.edge_vectors, "edges")
        vectors = _TextVectors(self._embedder, _texts(items))
        return [self._data(question, graph, vectors) for question, graph in items]

    def _check(self, vectors: FloatArray | None, field: str) -> None:
        if vectors is not None and vectors.shape[1] != self._embedder.dim:
            raise GraphInputError(
                f"the vectors of the {field} have {vectors.shape[1]} values, those of the embedder "
                f"{self._embedder.name!r} have {self._embedder.dim}",
                hint="send vectors of that embedder, or none",
            )

    def _data(self, question: str, graph: GraphInput, vectors: _TextVectors) -> Data:
        nodes, edges = _node_texts(graph), _edge_texts(graph)
        ends = torch.tensor([(source, target) for source, _, target in graph.edges])
        ends = ends.long().reshape(-1, 2).T
        edge_vectors = torch.from_numpy(_given_or(graph.edge_vectors, edges, vectors))
        rank = 1 / torch.arange(1, len(edges) + 1, dtype=torch.float32)
        return Data(
            x=torch.from_numpy(_given_or(graph.node_vectors, nodes, vectors)),
            edge_index=torch.cat([ends, ends.flip(0)], dim=1),
            edge_attr=edge_vectors.repeat(2, 1),
            edge_direction=torch.arange(2).repeat_interleave(len(edges)),
            edge_rank=rank.repeat(2),
            question=torch.from_numpy(vectors.of([question])),
            name_ids=self._name_ids(nodes),
            node_named=_named(nodes, question),
            node_text=nodes,
            edge_text=edges,
        )

    def _name_ids(self, names: Sequence[str]) -> Tensor:
        ids = torch.full((len(names), NAME_TOKENS), self._line_break, dtype=torch.long)
        for row, name in enumerate(names):
            # As they stand behind the lead of a reply.
            tokens = self._tokenize(f" {name}")[:NAME_TOKENS] if name else []
            ids[row, : len(tokens)] = torch.tensor(tokens, dtype=torch.long)
        return ids


class _TextVectors:
    """The vectors of a set of texts, each embedded once."""

    def __init__(self, embedder: Embedder, texts: Iterator[str]) -> None:
        distinct = list(dict.fromkeys(texts))
        self._rows = {text: row for row, text in enumerate(distinct)}
        self._vectors = np.empty((len(distinct), embedder.dim), dtype=np.float32)
        for start in range(0, len(distinct), _TEXTS_AT_ONCE):
            part = distinct[start : start + _TEXTS_AT_ONCE]
            self._vectors[start : start + len(part)] = embedder.embed(part)

    def of(self, texts: Sequence[str]) -> FloatArray:
        """Return the texts' unit vectors, shape (len(texts), dim)."""
        vectors: FloatArray = self._vectors[[self._rows[text] for text in texts]]
        return vectors


def _texts(items: Sequence[tuple[str, GraphInput]]) -> Iterator[str]:
    """Yield the questions and all texts of graphs that bring no vectors."""
    for question, graph in items:
        yield question
        if graph.node_vectors is None:
            yield from _node_texts(graph)
        if graph.edge_vectors is None:
            yield from _edge_texts(graph)


def _node_texts(graph: GraphInput) -> list[str]:
    return ["" if is_unnamed(name) else name for name in graph.nodes]


def _edge_texts(graph: GraphInput) -> list[str]:
    return [triple_words(*triple) for triple in graph.triples()]


def _given_or(given: FloatArray | None, texts: Sequence[str], vectors: _TextVectors) -> FloatArray:
    """Return unit vectors, shape (len(texts), dim); a given zero vector stays zero."""
    if given is None:
        return vectors.of(texts)
    lengths = np.linalg.norm(given.astype(np.float64), axis=1, keepdims=True)
    return (given / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _named(names: Sequence[str], question: str) -> Tensor:
    """Return 1 for each name whose words stand in the question, shape (len(names),)."""
    words = f" {name_key(question)} "
    named = [bool(name) and f" {name_key(name)} " in words for name in names]
    return torch.tensor(named, dtype=torch.float32)


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
