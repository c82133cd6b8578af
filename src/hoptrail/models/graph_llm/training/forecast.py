"""The cost of a training run, told by a step of its longest batch before the first."""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from hoptrail.core.errors import SettingsError
from hoptrail.models.graph_llm.architecture import free_memory
from hoptrail.models.graph_llm.training.learner import Learner
from hoptrail.models.graph_llm.training.options import TrainingOptions, TrainingPlan

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama, ModelInput

_GIGABYTE = 1e9
# What a layer keeps of a token for the gradient, in values: inputs of its norms, projections,
# attention and residuals, and the products within its feed-forward part.
_OF_HIDDEN, _OF_INTERMEDIATE = 12, 4
_LOGIT_BYTES = 10  # as the model computes them, in float32, and their gradient
_TOO_LARGE = "--batch 1, fewer --triples, or --set training.gradient_checkpoints=true"


@dataclass(frozen=True, slots=True)
class Forecast:
    """The cost of what is left of a run, without its validations.

    Attributes:
        align_steps: Steps of the pointer alone.
        steps: Steps with the language model.
        seconds: Of all of them, if each took as long as the longest batch; with the time to read
            the texts before the graph tokens, where that is done once.
        step_seconds: Of a step with the language model on the longest batch.
        memory_bytes: Most memory up to the end of that batch: of the GPU, or of the process.
    """

    align_steps: int
    steps: int
    seconds: float
    step_seconds: float
    memory_bytes: int


def forecast(
    model: GraphLlama,
    learner: Learner,
    plan: TrainingPlan,
    inputs: Sequence[ModelInput],
    options: TrainingOptions,
    done: int,
) -> Forecast:
    """Return what the steps from `done` on will take; no weight is moved.

    Raises:
        SettingsError: If a step does not fit into the memory.
    """
    order = sorted(range(len(inputs)), key=lambda place: -model.step_tokens(inputs[place]))
    longest = order[: options.batch_size]
    _require_memory(model, [inputs[place] for place in longest], options)
    align_steps = max(0, plan.align_steps - done)
    steps = len(plan) - max(done, plan.align_steps)
    aligning = order[: options.align_batch_size]
    try:
        align = learner.rehearse("align", aligning) if align_steps else 0.0
        first = step = learner.rehearse("language", longest) if steps else 0.0
        if steps and model.keeps_texts:  # the first time it read the texts, too
            step = learner.rehearse("language", longest)
    except RuntimeError as error:
        if isinstance(error, torch.OutOfMemoryError) or "allocate memory" in str(error):
            raise SettingsError(
                f"a step of {len(longest)} questions does not fit into the memory of "
                f"{model.device}",
                hint=_TOO_LARGE,
            ) from error
        raise
    reading = max(0.0, first - step) / len(longest) * len(inputs)
    step *= options.accumulation
    seconds = align_steps * align + steps * step + reading
    return Forecast(align_steps, steps, seconds, step, peak_memory(model.device))


def _require_memory(
    model: GraphLlama, inputs: Sequence[ModelInput], options: TrainingOptions
) -> None:
    needed, free = step_memory(model, inputs, options), free_memory(model.device)
    if needed > free:
        tokens = max(map(model.step_tokens, inputs))
        raise SettingsError(
            f"a step of {len(inputs)} questions of up to {tokens} tokens needs about "
            f"{needed / _GIGABYTE:.1f} GB of memory beside the base model, and "
            f"{free / _GIGABYTE:.1f} GB are free",
            hint=_TOO_LARGE,
        )


def step_memory(model: GraphLlama, inputs: Sequence[ModelInput], options: TrainingOptions) -> int:
    """Return about how many bytes a batch keeps for the gradient in the language model."""
    config = model.llm.config
    width = model.llm.dtype.itemsize
    tokens = len(inputs) * max(map(model.step_tokens, inputs))
    layer = width * (_OF_HIDDEN * config.hidden_size + _OF_INTERMEDIATE * config.intermediate_size)
    layers = int(config.num_hidden_layers)
    kept = layers * layer
    if options.gradient_checkpoints and not model.keeps_texts:
        kept = layers * width * config.hidden_size + layer
    answers = sum(len(item.target) for item in inputs)
    return int(tokens * kept + answers * config.vocab_size * _LOGIT_BYTES)


def peak_memory(device: torch.device) -> int:
    """Return the most bytes that were in use at once, on the GPU or in this process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
