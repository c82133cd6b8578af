"""How a model is trained."""

from __future__ import annotations

import math
from dataclasses import Field, asdict, dataclass, fields
from typing import Any, Literal, get_args

from hoptrail.core.errors import SettingsError

MixedPrecision = Literal["auto", "no", "bf16"]


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """The choices of a training run; a run can only be continued with the same.

    Attributes:
        epochs: Passes over the examples.
        max_steps: Most optimiser steps of these passes, beside the alignment; None for no limit.
        batch_size: Examples that go through the model at once.
        accumulation: Batches whose gradients make one step.
        learning_rate: Highest rate, at the end of the warm-up; a cosine leads from there to 0.
        weight_decay: Of AdamW.
        warmup: Share of the steps in which the rate rises.
        clip: Largest norm of a step's gradient.
        validate_every: Steps of these passes between validations; one follows the last step.
        validate_limit: First so many validation examples; None for all.
        patience: Validations without a gain after which training stops; 0 for never.
        save_every: Steps between states that a stopped run continues from.
        seed: Of the order of the examples and of dropout.
        mixed_precision: `auto` is bfloat16 on a GPU that has it; nothing else mixes by itself.
        max_new_tokens: Longest reply in a validation.
        node_weight: Weight of the readout's node loss beside the language loss.
        text_dropout: Share of the batches that are learned without the text form, so that the graph
            tokens must be read; beside a text that tells the answer they need not be. Nothing is
            left out for a model without graph tokens.
        align_epochs: Passes with the node loss alone, before the language model is asked; none for
            a model without a pointer.
        align_batch_size: Graphs in a step of these passes.
        align_learning_rate: Highest rate of these passes.
        bucket_batches: So many batches on end share their examples by length, so that little is
            padded; 1 for none of it.
        gradient_checkpoints: Keep less for the gradient, and compute it twice: a step that does not
            fit into the memory may then do.
    """

    epochs: int = 3
    max_steps: int | None = None
    batch_size: int = 4
    accumulation: int = 1
    learning_rate: float = 5e-4
    weight_decay: float = 0.05
    warmup: float = 0.05
    clip: float = 1.0
    validate_every: int = 50
    validate_limit: int | None = 80
    patience: int = 0
    save_every: int = 25
    seed: int = 0
    mixed_precision: MixedPrecision = "auto"
    max_new_tokens: int = 32
    node_weight: float = 0.5
    text_dropout: float = 0.5
    align_epochs: int = 8
    align_batch_size: int = 16
    align_learning_rate: float = 1e-3
    bucket_batches: int = 8
    gradient_checkpoints: bool = False

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            SettingsError: If one cannot be used; names it.
        """
        for field in fields(self):
            problem = _problem(field, getattr(self, field.name))
            if problem:
                raise SettingsError(f"training option {field.name}: {problem}")

    def to_json(self) -> dict[str, Any]:
        """Return the options by name."""
        return asdict(self)


_UNLIMITED = frozenset({"max_steps", "validate_limit"})
_MAY_BE_ZERO = frozenset(
    {"weight_decay", "warmup", "patience", "node_weight", "text_dropout", "align_epochs", "seed"}
)


_SHARES = frozenset({"warmup", "text_dropout"})


def _problem(field: Field[Any], value: object) -> str:
    """Return what is wrong with an option's value, nothing where it can be used."""
    if field.name == "mixed_precision":
        known = get_args(MixedPrecision)
        return "" if value in known else f"{value!r} is none of {', '.join(known)}"
    if field.name == "gradient_checkpoints":
        return "" if isinstance(value, bool) else f"{value!r} is neither true nor false"
    if value is None and field.name in _UNLIMITED:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{value!r} is no number"
    if isinstance(value, float) and not isinstance(field.default, float):
        return f"{value} is no whole number"
    if not math.isfinite(value) or value < 0 or (value == 0 and field.name not in _MAY_BE_ZERO):
        return f"{value} is too small" if value <= 0 else f"{value} is not finite"
    return f"{value} is no share" if field.name in _SHARES and value > 1 else ""
