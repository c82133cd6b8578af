"""The steps of a training run: which examples, in which order, at which learning rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hoptrail.models.graph_llm.training.options import TrainingOptions

Phase = Literal["align", "language"]


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
