"""Graph tokens: the trained part of a graph language model, a graph as part of the prompt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers.modeling_utils import PreTrainedModel

from hoptrail.core.errors import CheckpointError, SettingsError
from hoptrail.core.optional import require
from hoptrail.models.graph_llm.architecture import adapted_projections
from hoptrail.models.graph_llm.config import NAME_TOKENS, AdaptedKind, GraphLlamaConfig
from hoptrail.models.graph_llm.encoder import GraphBatch, GraphEncoder, Layer
from hoptrail.models.graph_llm.readout import NodePointer, PooledReadout, pointed_names

_MARK = ".lora_"
_LOW_RANK_DROPOUT = 0.05  # of the inputs of adapters, while training
_ADAPTER = ".default."  # peft's own name of an adapter, which says nothing


@dataclass(frozen=True, slots=True)
class ReadGraphs:
    """A batch of graphs as the language model gets them.

    Attributes:
        tokens: Shape (b, graph tokens, embedding), float32.
        probabilities: Of each node to be the answer, shape (n,); None without a pointer.
    """

    tokens: Tensor
    probabilities: Tensor | None


class GraphTokens(nn.Module):
    """Encoder, readout and projector.

    Args:
        config: Names the encoder, which is `gat` or `transformer`.
        layer: Its kind of attention.
        dim: Length of the text vectors.
        start: Embeddings that the tokens start from, shape (graph tokens, embedding).
        name_at: Place of the first token that spells a pointed name, of NAME_TOKENS.
    """

    def __init__(
        self, config: GraphLlamaConfig, layer: Layer, dim: int, *, start: Tensor, name_at: int
    ) -> None:
        super().__init__()
        self.encoder = GraphEncoder(
            dim,
            hidden=config.hidden,
            layers=config.layers,
            heads=config.heads,
            layer=layer,
            gate=config.gate,
            dropout=config.dropout,
            feature_dropout=config.feature_dropout,
        )
        self.pooling = PooledReadout(config.hidden)
        self.pointer = NodePointer(config.hidden, dim) if config.readout == "pointer" else None
        self.name_at = name_at
        if self.pointer is not None:
            start = torch.cat([start[:name_at], start[name_at + NAME_TOKENS :]])
        self.projector = _projector(config, start)

    def forward(self, batch: GraphBatch, embeddings: nn.Module) -> ReadGraphs:
        """Return the graphs of a batch as tokens.

        Args:
            batch: Graphs as `GraphVectorizer` makes them.
            embeddings: The language model's token embeddings.
        """
        states = self.encoder(batch)
        tokens = self.projector(self.pooling(states, batch))
        if self.pointer is None:
            return ReadGraphs(tokens, None)
        probabilities = self.pointer(states, batch)
        names = pointed_names(probabilities, batch, embeddings)
        before, after = tokens[:, : self.name_at], tokens[:, self.name_at :]
        return ReadGraphs(torch.cat([before, names, after], dim=1), probabilities)

    def probabilities(self, batch: GraphBatch) -> Tensor | None:
        """Return each node's probability to be the answer; None without a pointer."""
        return self.pointer(self.encoder(batch), batch) if self.pointer is not None else None


class ConstantTokens(nn.Module):
    """The same learned tokens for every graph, through a projector of the same form.

    What a model gains from graph tokens over these is what it learns from graphs.

    Args:
        config: Gives the projector's size.
        start: Embeddings that the tokens start from, shape (graph tokens, embedding).
    """

    def __init__(self, config: GraphLlamaConfig, *, start: Tensor) -> None:
        super().__init__()
        self.vector = nn.Parameter(torch.randn(2 * config.hidden))
        self.projector = _projector(config, start)

    def forward(self, batch: GraphBatch, embeddings: nn.Module) -> ReadGraphs:
        """Return the tokens once for each graph."""
        return ReadGraphs(self.projector(self.vector.expand(batch.num_graphs, -1)), None)

    def probabilities(self, batch: GraphBatch) -> None:
        """Return None: there is no pointer."""


def make_graph_tokens(
    config: GraphLlamaConfig, dim: int, *, start: Tensor, name_at: int
) -> GraphTokens | ConstantTokens | None:
    """Return the trained part that a configuration names; None for the plain model.

    Args:
        config: The choices.
        dim: Length of the text vectors.
        start: Embeddings that the tokens start from, shape (graph tokens, embedding).
        name_at: Place of the first token that spells a pointed name.
    """
    if config.encoder == "none":
        return None
    if config.encoder == "constant":
        return ConstantTokens(config, start=start)
    return GraphTokens(config, config.encoder, dim, start=start, name_at=name_at)


def _projector(config: GraphLlamaConfig, start: Tensor) -> Projector:
    return Projector(2 * config.hidden, hidden=config.projector_hidden, start=start)


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


def add_low_rank(
    llm: PreTrainedModel,
    rank: int,
    *,
    layers: AdaptedKind = "all",
) -> PreTrainedModel:
    """Put adapters beside the query and value projections of a model, in place.

    Only the adapters train; they start as no change at all and are float32 whatever the model is.

    Args:
        llm: The frozen model.
        rank: Inner size of the adapters.
        layers: Which layers get them.

    Returns:
        The same model.

    Raises:
        MissingExtraError: If peft is not installed.
        SettingsError: If the model has adapters already.

    Source: Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, section 4.
    """
    peft: Any = require("peft", extra="graph-llm", purpose="training with low-rank adapters")
    if low_rank_state(llm):
        raise SettingsError(
            "the language model has low-rank adapters already", hint="load the base model anew"
        )
    count: int = llm.config.num_hidden_layers
    first = 0 if layers == "all" else count - math.ceil(count / 3)
    config = peft.LoraConfig(
        r=rank,
        lora_alpha=2 * rank,
        lora_dropout=_LOW_RANK_DROPOUT,
        target_modules=list(adapted_projections(llm.config.model_type)),
        layers_to_transform=list(range(first, count)),
        task_type="CAUSAL_LM",
    )
    peft.inject_adapter_in_model(config, llm)
    for parameter in low_rank_state(llm).values():
        parameter.data = parameter.data.float()
    llm.eval()
    return llm


def low_rank_state(llm: PreTrainedModel) -> dict[str, Tensor]:
    """Return the adapters' weights by name; empty for a model without."""
    return {
        name.replace(_ADAPTER, "."): parameter
        for name, parameter in llm.named_parameters()
        if _MARK in name
    }


def load_low_rank(llm: PreTrainedModel, state: Mapping[str, Tensor]) -> None:
    """Set the adapters' weights to those that `low_rank_state` returned.

    Raises:
        CheckpointError: If names or shapes are not those of the model's adapters.
    """
    own = low_rank_state(llm)
    if own.keys() != state.keys():
        odd = sorted(own.keys() ^ state.keys())
        raise CheckpointError(
            f"the adapters do not fit the model: {odd[0]!r} and {len(odd) - 1} others differ",
            hint="use the rank and the base model that they were trained with",
        )
    with torch.no_grad():
        for name, parameter in own.items():
            if parameter.shape != state[name].shape:
                raise CheckpointError(
                    f"the adapter {name!r} has the shape {tuple(state[name].shape)}, "
                    f"not {tuple(parameter.shape)}",
                    hint="use the rank that it was trained with",
                )
            parameter.copy_(state[name])
