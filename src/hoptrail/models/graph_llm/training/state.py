"""The state that a stopped training run continues from."""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from hoptrail.core.errors import CheckpointError

_KEPT = 2
_PATTERN = "state-*.pt"


@dataclass(slots=True)
class TrainingState:
    """The state after so many steps; the order of the examples follows from the step alone.

    Attributes:
        step: Optimiser steps done, skipped ones included.
        seconds: Time they took, with validations.
        step_seconds: Time they took without.
        skipped: Steps left out because the loss or its gradient was not finite.
        skipped_in_a_row: How many of these were the last ones.
        best: Metrics of the best validation so far; empty before the first.
        best_step: The steps done at that validation.
        waited: Validations since then.
        weights: The trainable parameters by name; filled for the file only.
        optimizer: State of the optimiser; filled for the file only.
    """

    step: int = 0
    seconds: float = 0.0
    step_seconds: float = 0.0
    skipped: int = 0
    skipped_in_a_row: int = 0
    best: dict[str, float] = field(default_factory=dict)
    best_step: int = 0
    waited: int = 0
    weights: dict[str, Tensor] = field(default_factory=dict)
    optimizer: dict[str, Any] = field(default_factory=dict)


class StateFiles:
    """The last states of a run; each file is seen whole or not at all.

    Args:
        folder: Made where it is missing.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def save(self, state: TrainingState) -> None:
        """Write a state; those before the one before it are removed."""
        path = self._folder / f"state-{state.step:08d}.pt"
        temporary = path.with_suffix(".new")
        fields = {name: getattr(state, name) for name in TrainingState.__slots__}
        with temporary.open("wb") as stream:
            torch.save(fields, stream)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        for old in sorted(self._folder.glob(_PATTERN))[:-_KEPT]:
            old.unlink()

    def load(self) -> TrainingState:
        """Return the last state that can be read, a new one where there is no file.

        Raises:
            CheckpointError: If there are files and none of them can be read.
        """
        paths = sorted(self._folder.glob(_PATTERN), reverse=True)
        for path in paths:
            try:
                return TrainingState(**torch.load(path, map_location="cpu", weights_only=True))
            except (OSError, RuntimeError, EOFError, TypeError, pickle.UnpicklingError):
                continue
        if paths:
            raise CheckpointError(
                f"the training states in {self._folder} are damaged",
                hint="remove the folder to train from the start",
            )
        return TrainingState()
