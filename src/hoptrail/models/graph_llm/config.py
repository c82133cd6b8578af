"""The choices that make a graph language model what it is; a checkpoint stores them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args, get_type_hints

from hoptrail.core.errors import SettingsError

EncoderKind = Literal["gat", "transformer", "constant", "none"]
GateKind = Literal["mlp", "cosine", "none"]
ReadoutKind = Literal["pointer", "pooled"]
PlaceKind = Literal["start", "end"]
AdaptedKind = Literal["all", "upper-third"]

NAME_TOKENS = 8  # a name's first tokens, which tell it from the other names of a subgraph
_LEAST = {"low_rank": 0, "triples": 0}


@dataclass(frozen=True, slots=True)
class GraphLlamaConfig:
    """The parts that are built around a base model.

    Attributes:
        encoder: `gat` or `transformer`; `constant` learns the same graph tokens for every graph,
            which is the control that tells a graph's effect from that of any soft prompt; `none`
            is the plain base model.
        hidden: Length of a node's state.
        layers: Attention layers.
        heads: Attention heads; divides `hidden`.
        gate: How node and edge vectors are scaled by the question.
        readout: `pooled` projects the mean and maximum of the node states; `pointer` also spells
            the node that it points at, in the base model's own embeddings, with 8 of the tokens.
        graph_tokens: Tokens that a graph becomes.
        place: Where they stand: at the `start`, after the first token of the prompt, as in the
            source, or at the `end`, between the question and the reply. There the text before
            them does not depend on them: what the frozen model makes of it is computed once.
        projector_hidden: Length of the projector's hidden layer.
        dropout: Of the encoder's states.
        feature_dropout: Of the text vectors that the encoder reads.
        triples: Most triples of the text form; 0 leaves the text out.
        low_rank: Rank of the adapters (LoRA) in the base model; 0 for none.
        low_rank_layers: The layers that have them: `all`, or the `upper-third`, which costs less
            memory, and without graph tokens less time: the gradient ends where the adapters do.

    Raises:
        SettingsError: If a value cannot be used.
    """

    encoder: EncoderKind = "gat"
    hidden: int = 256
    layers: int = 3
    heads: int = 4
    gate: GateKind = "mlp"
    readout: ReadoutKind = "pointer"
    graph_tokens: int = 15
    place: PlaceKind = "start"
    projector_hidden: int = 2048
    dropout: float = 0.3
    feature_dropout: float = 0.4
    triples: int = 20
    low_rank: int = 0
    low_rank_layers: AdaptedKind = "all"

    def __post_init__(self) -> None:
        for name, kind in _choices().items():
            value = getattr(self, name)
            if value not in kind:
                raise SettingsError(
                    f"{name} is {value!r}", hint=f"use one of {', '.join(map(str, kind))}"
                )
        for field in fields(self):
            value = getattr(self, field.name)
            usual: Any = field.default
            if not isinstance(value, (int, float) if isinstance(usual, float) else type(usual)):
                raise SettingsError(f"{field.name} is {value!r}", hint="use a number")
            if isinstance(usual, int) and value < _LEAST.get(field.name, 1):
                raise SettingsError(f"{field.name} is {value}", hint="use a larger number")
            if isinstance(usual, float) and not 0 <= value < 1:
                raise SettingsError(
                    f"{field.name} is {value}", hint="use a share from 0 to below 1"
                )
        if self.has_pointer and self.graph_tokens <= NAME_TOKENS:
            raise SettingsError(
                f"graph_tokens is {self.graph_tokens} with the readout pointer",
                hint=f"use more than {NAME_TOKENS}, which spell a name, or the readout pooled",
            )
        if self.hidden % self.heads:
            raise SettingsError(
                f"hidden is {self.hidden} and heads is {self.heads}",
                hint="choose a hidden size that the heads divide",
            )

    @property
    def has_encoder(self) -> bool:
        """Whether the graph tokens depend on the graph."""
        return self.encoder in ("gat", "transformer")

    @property
    def has_pointer(self) -> bool:
        """Whether the encoder points at a node, which `training.align_epochs` can teach it."""
        return self.has_encoder and self.readout == "pointer"

    def to_json(self) -> dict[str, Any]:
        """Return the choices as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """Return the choices of a JSON object.

        Raises:
            SettingsError: If a choice is unknown or cannot be used.
        """
        unknown = value.keys() - {field.name for field in fields(cls)}
        if unknown:
            raise SettingsError(
                f"unknown choices of a graph language model: {', '.join(sorted(unknown))}",
                hint="the checkpoint may come from a newer version of Hoptrail",
            )
        return cls(**value)


def _choices() -> dict[str, tuple[str, ...]]:
    hints = get_type_hints(GraphLlamaConfig)
    names = ("encoder", "gate", "readout", "place", "low_rank_layers")
    return {name: get_args(hints[name]) for name in names}
