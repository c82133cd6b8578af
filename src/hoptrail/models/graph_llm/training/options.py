"""How a model is trained: the choices of a run, and the steps that follow from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import Field, asdict, dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from hoptrail.core.errors import SettingsError

MixedPrecision = Literal["auto", "no", "bf16"]
Phase = Literal["align", "language"]

_UNLIMITED = frozenset({"max_steps", "validate_limit"})
_MAY_BE_ZERO = frozenset(
    {"weight_decay", "warmup", "patience", "node_weight", "text_dropout", "align_epochs", "seed"}
)
_SHARES = frozenset({"warmup", "text_dropout"})


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


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """One optimiser step.

    Attributes:
        phase: `align` trains the encoder on the node loss alone.
        epoch: Pass of its phase, from 0.
        batches: Positions of the examples, batch by batch.
        learning_rate: The rate of this step.
        seed: Of all that is random in it.
    """

    phase: Phase
    epoch: int
    batches: tuple[tuple[int, ...], ...]
    learning_rate: float
    seed: int


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The steps of one phase."""

    phase: Phase
    steps: int
    examples_per_step: int
    batch_size: int
    learning_rate: float


class TrainingPlan:
    """Every step of a run as a function of its number, so that the number is all of its position.

    Args:
        options: The choices of the run.
        examples: Number of training examples.
        aligns: Whether the model has a pointer; without one there is no alignment.
        lengths: Tokens of each example, by which batches are put together; None for all the same.
    """

    def __init__(
        self,
        options: TrainingOptions,
        examples: int,
        *,
        aligns: bool = True,
        lengths: Sequence[int] | None = None,
    ) -> None:
        self._options = options
        self._examples = examples
        self._lengths = lengths
        align = options.align_epochs * math.ceil(examples / options.align_batch_size)
        # A control without a pointer draws the same random numbers as what it is compared with.
        self._left_out = 0 if aligns else align
        per_step = options.batch_size * options.accumulation
        language = options.epochs * math.ceil(examples / per_step)
        self._align = _Stretch(
            "align",
            align - self._left_out,
            options.align_batch_size,
            options.align_batch_size,
            options.align_learning_rate,
        )
        self._language = _Stretch(
            "language",
            min(language, options.max_steps or language),
            per_step,
            options.batch_size,
            options.learning_rate,
        )

    @property
    def align_steps(self) -> int:
        """How many of the first steps train the pointer alone."""
        return self._align.steps

    def __len__(self) -> int:
        return self._align.steps + self._language.steps

    def __getitem__(self, number: int) -> TrainingStep:
        """Return the step of this number, from 0."""
        stretch, place = self._align, number
        if number >= self._align.steps:
            stretch, place = self._language, number - self._align.steps
        epoch, within = divmod(place, math.ceil(self._examples / stretch.examples_per_step))
        start = within * stretch.examples_per_step
        order = self._order(stretch.phase, epoch)[start : start + stretch.examples_per_step]
        size = stretch.batch_size
        return TrainingStep(
            phase=stretch.phase,
            epoch=epoch,
            batches=tuple(tuple(order[at : at + size]) for at in range(0, len(order), size)),
            learning_rate=self._rate(stretch, place),
            seed=self._options.seed * 1_000_003 + self._left_out + number,
        )

    def is_validated(self, number: int) -> bool:
        """Return whether a validation follows the step of this number."""
        done = number + 1 - self._align.steps
        return done > 0 and (
            done % self._options.validate_every == 0 or done == self._language.steps
        )

    def _order(self, phase: Phase, epoch: int) -> list[int]:
        seeds = (self._options.seed, epoch, int(phase == "align"))
        random = np.random.default_rng(seeds)
        order = [int(place) for place in random.permutation(self._examples)]
        if self._lengths is None or phase == "align":
            return order
        window = self._options.bucket_batches * self._options.batch_size
        parts = [order[start : start + window] for start in range(0, len(order), window)]
        return [place for part in parts for place in self._bucketed(part, self._lengths, random)]

    def _bucketed(
        self, part: Sequence[int], lengths: Sequence[int], random: np.random.Generator
    ) -> list[int]:
        """Return examples with those of like length side by side, their batches in any order.

        A batch that is not full stays last, else it would shift all batches after it.
        """
        size = self._options.batch_size
        by_length = sorted(part, key=lambda place: lengths[place])
        batches = [by_length[start : start + size] for start in range(0, len(part), size)]
        whole = len(part) // size
        order = [*random.permutation(whole), *range(whole, len(batches))]
        return [place for number in order for place in batches[int(number)]]

    def _rate(self, stretch: _Stretch, place: int) -> float:
        """Return the rate: a linear warm-up, then half a cosine (Loshchilov and Hutter 2017)."""
        warm = max(1, round(self._options.warmup * stretch.steps))
        if place < warm:
            return stretch.learning_rate * (place + 1) / warm
        done = (place - warm) / max(1, stretch.steps - warm)
        return stretch.learning_rate * (1 + math.cos(math.pi * done)) / 2
