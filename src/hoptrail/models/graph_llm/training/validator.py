"""Validation during training: the model's replies to held-out examples, scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hoptrail.core.progress import Progress
from hoptrail.models.graph_llm.example import GraphExample
from hoptrail.models.graph_llm.training.predictions import Score, predict

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama, ModelInput


class Validator:
    """Lets a model answer held-out examples.

    Args:
        model: The model in training.
        examples: The held-out examples.
        inputs: Their prepared form.
        max_new_tokens: Longest reply.
        score: Returns the mean metrics of predictions.
        progress: Told of the examples that are done.
    """

    def __init__(
        self,
        model: GraphLlama,
        examples: Sequence[GraphExample],
        inputs: Sequence[ModelInput],
        max_new_tokens: int,
        score: Score,
        progress: Progress,
    ) -> None:
        self._model, self._examples, self._inputs = model, examples, inputs
        self._max_new_tokens, self._score, self._progress = max_new_tokens, score, progress

    def validate(self) -> dict[str, float]:
        """Return the metrics of the model as it is now."""
        predictions = predict(
            self._model,
            self._examples,
            self._inputs,
            max_new_tokens=self._max_new_tokens,
            progress=self._progress,
        )
        return {name: float(value) for name, value in self._score(predictions).items()}
