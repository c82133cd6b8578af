"""The course of a training run, kept in its folder: states, a CSV file, a picture of that."""

from __future__ import annotations

import csv
import io
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from hoptrail.core.errors import CheckpointError, ModelError
from hoptrail.core.progress import Progress
from hoptrail.models.graph_llm.checkpoint import save_checkpoint
from hoptrail.models.graph_llm.training.learner import Learner
from hoptrail.models.graph_llm.training.options import TrainingOptions, TrainingPlan

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama

METRICS = ("hits@1", "hit", "set_f1")
COLUMNS: Sequence[str] = (
    "step",
    "phase",
    "epoch",
    "loss",
    "language_loss",
    "node_loss",
    "learning_rate",
    "gradient_norm",
    "seconds",
    *METRICS,
)
"""`step` counts from 1; `seconds` is the time since the start, over all sessions of the run."""

Row = Mapping[str, Any]
"""A value for some of the columns."""

CHECKPOINT = "checkpoint"
_STATES = "states"
_MOST_SKIPPED = 5
_KEPT = 2
_PATTERN = "state-*.pt"


class Curves:
    """A row per step in `curves.csv`; a column that says nothing of a step is empty.

    Args:
        folder: Folder of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._csv = folder / "curves.csv"
        self._picture = folder / "curves.png"

    def rows(self) -> list[dict[str, str]]:
        """Return the rows as text; a last line that was cut off is dropped."""
        if not self._csv.exists():
            return []
        whole = self._csv.read_text(encoding="utf-8").rpartition("\n")[0]
        return list(csv.DictReader(io.StringIO(whole)))

    def keep(self, steps: int) -> None:
        """Drop the rows beyond so many steps: the run goes on from there."""
        kept = [row for row in self.rows() if int(row["step"]) <= steps]
        temporary = self._csv.with_suffix(".new")
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            table = csv.DictWriter(stream, COLUMNS)
            table.writeheader()
            table.writerows(kept)
        temporary.replace(self._csv)

    def append(self, row: Row) -> None:
        """Add the row of a step."""
        with self._csv.open("a", encoding="utf-8", newline="") as stream:
            csv.DictWriter(stream, COLUMNS).writerow(row)

    def draw(self) -> None:
        """Write `curves.png`: the losses above, the validation metrics below."""
        rows = self.rows()
        figure = Figure(figsize=(8, 7))
        losses, metrics = figure.subplots(2, 1, sharex=True)
        _plot(losses, rows, ("language_loss", "node_loss"), marker="")
        _plot(metrics, rows, METRICS, marker="o")
        losses.set_ylabel("loss")
        metrics.set_ylabel("validation")
        metrics.set_xlabel("step")
        figure.savefig(self._picture, dpi=100)


def _plot(axes: Axes, rows: Sequence[Mapping[str, str]], names: Sequence[str], marker: str) -> None:
    for name in names:
        points = [(int(row["step"]), float(row[name])) for row in rows if row[name]]
        if points:
            steps, values = zip(*points, strict=True)
            axes.plot(steps, values, marker=marker, label=name)
    if axes.has_data():
        axes.legend()
    axes.grid(alpha=0.3)


class TrainingRun:
    """A run from the last state in its folder on.

    Args:
        model: The model in training.
        learner: Does its steps.
        validate: Returns the metrics of the model as it is.
        plan: The steps.
        folder: Keeps states, curves and the best checkpoint.
        options: The choices of the run.
    """

    def __init__(
        self,
        model: GraphLlama,
        learner: Learner,
        validate: Callable[[], dict[str, float]],
        plan: TrainingPlan,
        folder: Path,
        options: TrainingOptions,
    ) -> None:
        self._model, self._learner, self._metrics = model, learner, validate
        self._plan, self._folder, self._options = plan, folder, options
        self._files, self._curves = StateFiles(folder / _STATES), Curves(folder)
        self._state = self._files.load()
        if self._state.step:
            learner.restore(self._state.weights, self._state.optimizer)
        self._curves.keep(self._state.step)

    @property
    def step(self) -> int:
        """Steps that are done."""
        return self._state.step

    @property
    def is_over(self) -> bool:
        """Whether no step is left to do: the plan is done, or validations stopped to gain."""
        patience = self._options.patience
        is_stuck = patience > 0 and self._state.waited >= patience
        return is_stuck or self._state.step >= len(self._plan)

    def go_on(self, progress: Progress, report: Callable[[Row], None]) -> TrainingState:
        """Train to the end of the plan, or until validations stop to gain; return the last state.

        Raises:
            KeyboardInterrupt: After an interrupt, once the step is done and saved.
            ModelError: If several steps in a row had to be skipped.
        """
        progress.start("train", len(self._plan))
        progress.advance("train", self._state.step)
        with delayed_interrupt() as is_interrupted:
            while not self.is_over:
                self._do_step(report)
                progress.advance("train")
                if is_interrupted():
                    self._save()
                    raise KeyboardInterrupt
        progress.finish("train")
        return self._state

    def _do_step(self, report: Callable[[Row], None]) -> None:
        started = time.perf_counter()
        state, number = self._state, self._state.step
        step = self._plan[number]
        learned = self._learner.learn(step)
        self._count_skipped(learned.is_skipped)
        state.step += 1
        state.step_seconds += time.perf_counter() - started
        is_validated = self._plan.is_validated(number)
        metrics = self._validate() if is_validated else {}
        state.seconds += time.perf_counter() - started
        row = {
            "step": state.step,
            "phase": step.phase,
            "epoch": step.epoch + 1,
            **learned.figures,
            "learning_rate": step.learning_rate,
            "seconds": round(state.seconds, 3),
            **metrics,
        }
        self._curves.append(row)
        if is_validated or state.step % self._options.save_every == 0:
            self._save()
        if is_validated:
            self._curves.draw()
            report(row)

    def _count_skipped(self, is_skipped: bool) -> None:
        state = self._state
        state.skipped += is_skipped
        state.skipped_in_a_row = state.skipped_in_a_row + 1 if is_skipped else 0
        if state.skipped_in_a_row == _MOST_SKIPPED:
            raise ModelError(
                f"loss or gradient were not finite {_MOST_SKIPPED} steps in a row, "
                f"up to step {state.step + 1}",
                hint="lower the learning rate, or train with --dtype float32",
            )

    def _validate(self) -> dict[str, float]:
        """Return the metrics; keep the model as the checkpoint where they are the best so far."""
        metrics, state = self._metrics(), self._state
        if not state.best or _rank(metrics) > _rank(state.best):
            state.best, state.best_step, state.waited = metrics, state.step, 0
            # Before the state: a run killed in between comes here again and writes it anew.
            save_checkpoint(self._model, self._folder / CHECKPOINT)
        else:
            state.waited += 1
        return {name: metrics[name] for name in METRICS}

    def _save(self) -> None:
        self._state.weights, self._state.optimizer = self._learner.state()
        self._files.save(self._state)


def _rank(metrics: dict[str, float]) -> tuple[float, float]:
    return (metrics["hits@1"], metrics["set_f1"])


@contextmanager
def delayed_interrupt() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether SIGINT has come; a second one interrupts at once.

    Signals reach the main thread alone: elsewhere the function always returns False.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    came = threading.Event()
    usual = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        came.set()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, note)
    try:
        yield came.is_set
    finally:
        signal.signal(signal.SIGINT, usual)


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
