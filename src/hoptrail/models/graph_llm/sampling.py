"""Choosing the next token of a request from the model's logits."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

_NEXT_TO_ZERO = 1e-5  # dividing by less overflows


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """How one request is continued.

    Attributes:
        max_new_tokens: Tokens at most, an end-of-sequence token included.
        temperature: Divides the logits; 0 (or next to it) takes the most probable token always.
        top_p: Draws from the most probable tokens that together reach this probability
            (nucleus sampling, Holtzman et al. 2020, section 3.1); 1 draws from all.
        seed: Makes the draws repeatable; None draws anew each time.
    """

    max_new_tokens: int = 32
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None

    @property
    def is_greedy(self) -> bool:
        """Whether nothing is drawn."""
        return self.temperature < _NEXT_TO_ZERO

    def generator(self) -> torch.Generator:
        """Return the request's own source of random numbers."""
        generator = torch.Generator()
        if self.seed is None:
            generator.seed()
        else:
            generator.manual_seed(self.seed)
        return generator


def sample(logits: Tensor, options: SamplingOptions, generator: torch.Generator) -> int:
    """Draw a token from one row of logits.

    Args:
        logits: Shape (vocabulary,), finite.
        options: Not greedy ones.
        generator: The request's own.
    """
    probabilities = torch.softmax(logits.float().cpu() / options.temperature, dim=-1)
    if options.top_p < 1:
        ranked, order = probabilities.sort(descending=True)
        before = ranked.cumsum(-1) - ranked
        probabilities[order[before >= options.top_p]] = 0
    return int(torch.multinomial(probabilities, 1, generator=generator))
