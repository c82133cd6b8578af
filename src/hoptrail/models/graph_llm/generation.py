"""Limits and sampling of a reply that a graph language model writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.sampling import SamplingOptions


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
