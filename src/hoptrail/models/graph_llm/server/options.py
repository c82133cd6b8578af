"""Options of the server: its name, and how much it takes."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.errors import SettingsError
from hoptrail.models.graph_llm.base_model import BaseModel

MOST_TOKENS = 512
_CHARACTERS_PER_TOKEN = 32  # more than any text has that fits


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The operator's choices.

    Attributes:
        model_name: What requests name and `/v1/models` lists.
        reply_tokens: Longest reply; a request that names no length gets it.
        prompt_characters: Most text of the messages that is tokenised at all.
        body_bytes: Largest request.
        nodes: Most nodes of a request's graph.
        edges: Most edges.
        api_key: Key that clients must send; None for none.
        seed: Of the draws of a request that brings no seed; None draws anew each time.
    """

    model_name: str
    reply_tokens: int = MOST_TOKENS
    prompt_characters: int = 65_536
    body_bytes: int = 8 * 1024 * 1024
    nodes: int = 1_000
    edges: int = 1_000
    api_key: str | None = None
    seed: int | None = None


def options_for(
    base: BaseModel,
    model_name: str,
    *,
    reply_tokens: int | None = None,
    body_bytes: int,
    edges: int,
    api_key: str | None = None,
    seed: int | None = None,
) -> ServerOptions:
    """Return options that fit a model's context window.

    Args:
        base: The model.
        model_name: As in `ServerOptions`.
        reply_tokens: Likewise; by default what leaves the prompt most of the context window.
        body_bytes: Likewise.
        edges: Likewise; a graph may have one node more than edges.
        api_key: Likewise.
        seed: Likewise.

    Raises:
        SettingsError: If replies would leave the prompt less than half of the context window.
    """
    half = base.context_length // 2
    if reply_tokens is not None and reply_tokens > half:
        raise SettingsError(
            f"replies of {reply_tokens} tokens leave too little of the context window of "
            f"{base.context_length}",
            hint=f"use --max-tokens {half} or less",
        )
    return ServerOptions(
        model_name,
        reply_tokens=reply_tokens or min(MOST_TOKENS, half),
        prompt_characters=_CHARACTERS_PER_TOKEN * base.context_length,
        body_bytes=body_bytes,
        nodes=edges + 1,
        edges=edges,
        api_key=api_key,
        seed=seed,
    )
