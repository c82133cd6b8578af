"""A reply that a graph language model writes: its limits, its parts, and how it is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from hoptrail.models.graph_llm.graph_input import GraphInput

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


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One reply to write.

    Attributes:
        messages: In the OpenAI form, `role` and `content`, texts only.
        graph: Subgraph for the question in the last user message; without one the messages are
            for the base model as a chat, through its adapters if it has any.
        options: How to continue the prompt.
        stop: Texts that end the reply; they are not part of it.
    """

    messages: tuple[Mapping[str, str], ...]
    graph: GraphInput | None = None
    options: SamplingOptions = field(default_factory=SamplingOptions)
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """A piece of a reply; the last parts say why it ended and what it took.

    Attributes:
        text: What the reply goes on with.
        finish_reason: `stop` or `length` at the end.
        prompt_tokens: Tokens that were read, graph tokens included.
        completion_tokens: Tokens that were written.
    """

    text: str = ""
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
