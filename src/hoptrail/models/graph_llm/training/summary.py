"""Summary of a training run."""

from __future__ import annotations

import resource
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch


@dataclass(frozen=True, slots=True)
class TrainingSummary:
    """The figures of a finished run.

    Attributes:
        steps: Optimiser steps done.
        planned_steps: Those that it would have done without early stopping.
        best_step: The step of the kept checkpoint.
        metrics: Validation metrics of that checkpoint, on the examples used between steps.
        skipped_steps: Steps left out because of a loss or gradient that was not finite.
        trained_parameters: Number of parameters that were trained.
        seconds: Time of steps and validations, over all sessions.
        seconds_per_step: Mean time of a step.
        peak_memory_bytes: Most memory at once: of the GPU where there is one, else of the process.
        checkpoint: Folder of the best checkpoint.
    """

    steps: int
    planned_steps: int
    best_step: int
    metrics: dict[str, float]
    skipped_steps: int
    trained_parameters: int
    seconds: float
    seconds_per_step: float
    peak_memory_bytes: int
    checkpoint: Path

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return {**asdict(self), "checkpoint": str(self.checkpoint)}


def peak_memory(device: torch.device) -> int:
    """Return the most bytes that were in use at once, on the GPU or in this process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
