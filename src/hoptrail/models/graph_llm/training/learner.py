"""One optimiser step: batches forward and back, the gradient clipped, the weights moved."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from accelerate import Accelerator
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from hoptrail.core.errors import SettingsError
from hoptrail.models.graph_llm.readout import Losses
from hoptrail.models.graph_llm.training.options import Phase, TrainingOptions, TrainingStep

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama, ModelInput


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of a step.

    Attributes:
        figures: Losses and gradient norm by column of the curves; empty where the batches had
            nothing to learn from.
        is_skipped: Whether the weights were left alone because loss or gradient were not finite.
    """

    figures: dict[str, float]
    is_skipped: bool = False


class Learner:
    """A model's trainable parameters with their AdamW optimiser (Loshchilov and Hutter 2019).

    Args:
        model: On its device.
        trainable: Its trainable parameters by name.
        inputs: The prepared training examples.
        options: The choices of the run.

    Raises:
        SettingsError: If several processes were launched.
    """

    def __init__(
        self,
        model: GraphLlama,
        trainable: Mapping[str, Tensor],
        inputs: Sequence[ModelInput],
        options: TrainingOptions,
    ) -> None:
        self._trainable, self._inputs, self._options = trainable, inputs, options
        # Without graph tokens the text is all there is to learn from.
        self._text_dropout = 0.0 if model.graph_tokens is None else options.text_dropout
        if options.gradient_checkpoints:
            model.checkpoint_gradients()
        self._accelerator = _accelerator(model, options)
        optimizer = torch.optim.AdamW(
            trainable.values(), lr=options.learning_rate, weight_decay=options.weight_decay
        )
        self._model, self._optimizer = self._accelerator.prepare(model, optimizer)

    def learn(self, step: TrainingStep) -> Learned:
        """Do one step."""
        # Seeded step by step, a run is the same however often it was stopped or validated.
        torch.manual_seed(step.seed)
        self._model.train()
        for group in self._optimizer.param_groups:
            group["lr"] = step.learning_rate
        self._optimizer.zero_grad(set_to_none=True)
        figures = self._backward(step)
        if not figures:
            return Learned({})
        norm = float(clip_grad_norm_(list(self._trainable.values()), self._options.clip))
        is_finite = math.isfinite(figures["loss"]) and math.isfinite(norm)
        if is_finite:
            self._optimizer.step()
        return Learned({**figures, "gradient_norm": norm}, not is_finite)

    def rehearse(self, phase: Phase, batch: Sequence[int]) -> float:
        """Do a step of one batch, with its text, that moves no weight; return its seconds."""
        self._model.train()
        self._optimizer.zero_grad(set_to_none=True)
        inputs = [self._inputs[place] for place in batch]
        started = time.perf_counter()
        with self._accelerator.autocast():
            losses = self._model.node_loss(inputs) if phase == "align" else self._model(inputs)
        if losses is not None:
            loss = losses if phase == "align" else losses.total(self._options.node_weight)
            self._accelerator.backward(loss)
            loss.item()  # waits for a GPU
        seconds = time.perf_counter() - started
        self._optimizer.zero_grad(set_to_none=True)
        return seconds

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return the trainable parameters by name, and the optimiser's state."""
        weights = {name: weight.detach() for name, weight in self._trainable.items()}
        return weights, self._optimizer.state_dict()

    def restore(self, weights: Mapping[str, Tensor], optimizer: dict[str, Any]) -> None:
        """Set what `state` returned."""
        with torch.no_grad():
            for name, weight in weights.items():
                self._trainable[name].copy_(weight)
        self._optimizer.load_state_dict(optimizer)

    def _backward(self, step: TrainingStep) -> dict[str, float]:
        """Add up the gradients of a step's batches; return their mean losses."""
        count = sum(map(len, step.batches))
        figures: dict[str, float] = {}
        for batch in step.batches:
            share = len(batch) / count
            with self._accelerator.autocast():
                losses = self._losses([self._inputs[place] for place in batch], step)
            if losses is None:
                continue
            self._accelerator.backward(losses["loss"] * share)
            for name, value in losses.items():
                figures[name] = figures.get(name, 0.0) + float(value.detach()) * share
        return figures

    def _losses(self, inputs: Sequence[ModelInput], step: TrainingStep) -> dict[str, Tensor] | None:
        if step.phase == "align":
            nodes = self._model.node_loss(inputs)
            return None if nodes is None else {"loss": nodes, "node_loss": nodes}
        # Drawn only where it is asked for: the other randomness of a step stays the same.
        if self._text_dropout and torch.rand(()) < self._text_dropout:
            inputs = [item.without_text() for item in inputs]
        losses: Losses = self._model(inputs)
        total = losses.total(self._options.node_weight)
        figures = {"loss": total, "language_loss": losses.language}
        return figures if losses.nodes is None else {**figures, "node_loss": losses.nodes}


def _accelerator(model: GraphLlama, options: TrainingOptions) -> Accelerator:
    """Return the accelerator of the device that the model is on.

    Raises:
        SettingsError: If several processes were launched: they would write the same files.
    """
    precision = options.mixed_precision
    if precision == "auto":
        mixes = model.device.type == "cuda" and torch.cuda.is_bf16_supported()
        precision = "bf16" if mixes else "no"
    accelerator = Accelerator(
        cpu=model.device.type == "cpu", mixed_precision=precision, device_placement=False
    )
    if accelerator.num_processes > 1:
        raise SettingsError(
            f"training was launched in {accelerator.num_processes} processes",
            hint="run `hoptrail train` by itself: it uses one process and one device",
        )
    return accelerator
