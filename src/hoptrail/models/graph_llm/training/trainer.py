"""`train`: a model, its examples and a folder become a checkpoint and its curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout
from torch import Tensor

from hoptrail.core.errors import CheckpointError, SettingsError
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.models.graph_llm.checkpoint import (
    claim_folder,
    examples_digest,
    weights_digest,
)
from hoptrail.models.graph_llm.example import GraphExample
from hoptrail.models.graph_llm.training.forecast import Forecast, forecast, peak_memory
from hoptrail.models.graph_llm.training.learner import Learner
from hoptrail.models.graph_llm.training.options import TrainingOptions, TrainingPlan
from hoptrail.models.graph_llm.training.predictions import Score, predict
from hoptrail.models.graph_llm.training.run import CHECKPOINT, Row, TrainingRun

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama, ModelInput

_PREPARED_AT_ONCE = 100
LOCK = ".lock"


def train(
    model: GraphLlama,
    examples: Sequence[GraphExample],
    validation: Sequence[GraphExample],
    folder: Path,
    options: TrainingOptions,
    *,
    score: Score,
    progress: Progress | None = None,
    report: Callable[[Row], None] | None = None,
    announce: Callable[[Forecast], None] | None = None,
) -> TrainingSummary:
    """Train a model; the same call again continues a run that was stopped, to the same result.

    An interrupt (SIGINT) saves the state at the end of the step and is then raised as
    KeyboardInterrupt.

    Args:
        model: On its device; its trainable parameters are changed in place, and are in the end
            those of the last step, not of the checkpoint.
        examples: What it learns from.
        validation: What the best checkpoint is chosen on.
        folder: Gets `run.json`, `curves.csv`, `curves.png`, `states/` and `checkpoint/`.
        options: The choices of the run.
        score: Returns the mean metrics of predictions; `hits@1` decides, `set_f1` between equals.
        progress: Told of the steps that are done.
        report: Called with the row of each step that a validation follows.
        announce: Called before the first step with what all of them will take.

    Returns:
        The figures of the run.

    Raises:
        SettingsError: If there is nothing to train, or nothing to train or validate with, or a step
            does not fit into the memory.
        CheckpointError: If the folder holds another run, or another process trains in it.
        ModelError: If loss or gradient are not finite for several steps in a row.
    """
    _require(bool(examples), "no training example", "give more questions")
    _require(bool(validation), "no validation example", "give more questions")
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        return _train(
            model,
            examples,
            validation,
            folder,
            options,
            score,
            progress or NoProgress(),
            report or (lambda row: None),
            announce or (lambda cost: None),
        )


def _train(
    model: GraphLlama,
    examples: Sequence[GraphExample],
    validation: Sequence[GraphExample],
    folder: Path,
    options: TrainingOptions,
    score: Score,
    observer: Progress,
    report: Callable[[Row], None],
    announce: Callable[[Forecast], None],
) -> TrainingSummary:
    trainable = trainable_parameters(model)
    claim_folder(folder, _identity(model, trainable, examples, validation, options))
    inputs = _prepare(model, examples, observer)
    held_out = validation[: options.validate_limit]
    prepared = _prepare(model, held_out, observer)

    def validate() -> dict[str, float]:
        tokens = options.max_new_tokens
        told = predict(model, held_out, prepared, max_new_tokens=tokens, progress=observer)
        return {name: float(value) for name, value in score(told).items()}

    lengths = [model.step_tokens(item) for item in inputs]
    plan = TrainingPlan(options, len(inputs), aligns=model.config.has_pointer, lengths=lengths)
    learner = Learner(model, trainable, inputs, options)
    run = TrainingRun(model, learner, validate, plan, folder, options)
    if not run.is_over:
        announce(forecast(model, learner, plan, inputs, options, run.step))
    state = run.go_on(observer, report)
    return TrainingSummary(
        steps=state.step,
        planned_steps=len(plan),
        best_step=state.best_step,
        metrics=state.best,
        skipped_steps=state.skipped,
        trained_parameters=sum(weight.numel() for weight in trainable.values()),
        seconds=round(state.seconds, 3),
        seconds_per_step=round(state.step_seconds / state.step, 4),
        peak_memory_bytes=peak_memory(model.device),
        checkpoint=folder / CHECKPOINT,
    )


def trainable_parameters(model: GraphLlama) -> dict[str, Tensor]:
    """Return the parameters that training changes, by name.

    Raises:
        SettingsError: If there is none.
    """
    trainable: dict[str, Tensor] = {
        name: weight for name, weight in model.named_parameters() if weight.requires_grad
    }
    _require(bool(trainable), "the model has no trainable part", "choose an encoder or --lora")
    return trainable


def _require(holds: bool, message: str, hint: str) -> None:
    if not holds:
        raise SettingsError(message, hint=hint)


def _identity(
    model: GraphLlama,
    trainable: Mapping[str, Tensor],
    examples: Sequence[GraphExample],
    validation: Sequence[GraphExample],
    options: TrainingOptions,
) -> dict[str, Any]:
    return {
        "options": options.to_json(),
        "model": model.config.to_json(),
        "base": {"fingerprint": model.base.fingerprint, "dtype": str(model.llm.dtype)},
        "embedder": model.embedder.name,
        "examples_sha256": examples_digest(examples),
        "validation_sha256": examples_digest(validation),
        "initial_weights_sha256": weights_digest(trainable),
    }


def _prepare(
    model: GraphLlama, examples: Sequence[GraphExample], progress: Progress
) -> list[ModelInput]:
    inputs: list[ModelInput] = []
    progress.start("prepare", len(examples))
    for start in range(0, len(examples), _PREPARED_AT_ONCE):
        part = examples[start : start + _PREPARED_AT_ONCE]
        inputs += model.prepare_all([(item.question, item.graph, item.answers) for item in part])
        progress.advance("prepare", len(part))
    progress.finish("prepare")
    return inputs


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder while a run writes into it; the system frees it when the process dies.

    Raises:
        CheckpointError: If another process trains in it.
    """
    lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise CheckpointError(
            f"another process trains in {folder}",
            hint="wait until it is done, or give another --out folder",
        ) from error
    try:
        yield
    finally:
        lock.release()


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
