"""The course of a training run, kept in its folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hoptrail.core.errors import ModelError
from hoptrail.core.progress import Progress
from hoptrail.models.graph_llm.checkpoint import save_checkpoint
from hoptrail.models.graph_llm.training.curves import METRICS, Curves, Row
from hoptrail.models.graph_llm.training.interrupt import delayed_interrupt
from hoptrail.models.graph_llm.training.learner import Learner
from hoptrail.models.graph_llm.training.options import TrainingOptions
from hoptrail.models.graph_llm.training.plan import TrainingPlan
from hoptrail.models.graph_llm.training.state import StateFiles, TrainingState
from hoptrail.models.graph_llm.training.validator import Validator

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama

CHECKPOINT = "checkpoint"

_STATES = "states"
_MOST_SKIPPED = 5


class TrainingRun:
    """A run from the last state in its folder on.

    Args:
        model: The model in training.
        learner: Does its steps.
        validator: Says what it is worth.
        plan: The steps.
        folder: Keeps states, curves and the best checkpoint.
        options: The choices of the run.
    """

    def __init__(
        self,
        model: GraphLlama,
        learner: Learner,
        validator: Validator,
        plan: TrainingPlan,
        folder: Path,
        options: TrainingOptions,
    ) -> None:
        self._model, self._learner, self._validator = model, learner, validator
        self._plan, self._folder, self._options = plan, folder, options
        self._files, self._curves = StateFiles(folder / _STATES), Curves(folder)
        self._state = self._files.load()
        if self._state.step:
            learner.restore(self._state.weights, self._state.optimizer)
        self._curves.keep(self._state.step)

    def go_on(self, progress: Progress, report: Callable[[Row], None]) -> TrainingState:
        """Train to the end of the plan, or until validations stop to gain; return the last state.

        Raises:
            KeyboardInterrupt: After an interrupt, once the step is done and saved.
            ModelError: If several steps in a row had to be skipped.
        """
        progress.start("train", len(self._plan))
        progress.advance("train", self._state.step)
        with delayed_interrupt() as is_interrupted:
            while not self._is_over():
                self._do_step(report)
                progress.advance("train")
                if is_interrupted():
                    self._save()
                    raise KeyboardInterrupt
        progress.finish("train")
        return self._state

    def _is_over(self) -> bool:
        patience = self._options.patience
        is_stuck = patience > 0 and self._state.waited >= patience
        return is_stuck or self._state.step >= len(self._plan)

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
        metrics, state = self._validator.validate(), self._state
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
