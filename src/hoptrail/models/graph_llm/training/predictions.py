"""A model's replies to examples, read as answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from hoptrail.core.progress import NoProgress, Progress
from hoptrail.models.graph_llm.example import GraphExample, reply_answers

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama, ModelInput

_BATCH = 16


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's reply to an example; `answers` best first."""

    example: GraphExample
    reply: str
    answers: tuple[str, ...]


Score = Callable[[Sequence[Prediction]], Mapping[str, float]]
"""Returns the mean metrics of predictions, `hits@1` among them."""


def predict(
    model: GraphLlama,
    examples: Sequence[GraphExample],
    inputs: Sequence[ModelInput],
    *,
    max_new_tokens: int,
    progress: Progress | None = None,
) -> list[Prediction]:
    """Return the greedy replies, in the order of the examples.

    Args:
        model: Left in evaluation mode.
        examples: What is asked.
        inputs: The prepared form of each.
        max_new_tokens: Longest reply.
        progress: Told of the examples that are done.
    """
    model.eval()
    observer = progress or NoProgress()
    observer.start("validate", len(inputs))
    # Prompts of one length waste no padding.
    order = sorted(range(len(inputs)), key=lambda place: len(inputs[place].prompt.ids))
    replies = [""] * len(inputs)
    with torch.no_grad():
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            batch = [inputs[place] for place in places]
            told = model.generate(batch, max_new_tokens=max_new_tokens)
            for place, reply in zip(places, told, strict=True):
                replies[place] = reply
            observer.advance("validate", len(places))
    observer.finish("validate")
    return [
        Prediction(example, reply, reply_answers(reply))
        for example, reply in zip(examples, replies, strict=True)
    ]
