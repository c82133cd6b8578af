"""A graph language model in this process: loaded once, asked by all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.core.optional import require
from hoptrail.models.graph_llm.client import ChatRequest
from hoptrail.models.graph_llm.generation import ReplyPart

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.engine import GraphEngine
    from hoptrail.models.graph_llm.generation import GenerationRequest

MOST_TOKENS = 512
"""Longest reply to a request that sets no limit."""
_load_lock = threading.Lock()


class LocalGraphLlm:
    """A checkpoint that this process loads on the first request and then shares.

    Requests that come while others are answered join them in one batch.

    Args:
        folder: Of the checkpoint.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder).expanduser().resolve()

    def prepare(self) -> None:
        """Load the checkpoint.

        Raises:
            CheckpointError: If there is none, or it cannot be used.
            MissingExtraError: If the extra `graph-llm` is not installed.
        """
        self._engine()

    def stream(self, request: ChatRequest) -> Iterator[ReplyPart]:
        """Yield the reply; see `GraphLlmClient.stream`."""
        engine = self._engine()
        yield from engine.stream(_as_generation(request), timeout=request.timeout)

    async def astream(self, request: ChatRequest) -> AsyncIterator[ReplyPart]:
        """Yield the reply; see `GraphLlmClient.astream`."""
        engine = await asyncio.to_thread(self._engine)
        async with aclosing(
            engine.astream(_as_generation(request), timeout=request.timeout)
        ) as parts:
            async for part in parts:
                yield part

    def _engine(self) -> GraphEngine:
        with _load_lock:
            return _load_engine(self._folder)


@cache
def _load_engine(folder: Path) -> GraphEngine:
    require("torch_geometric", extra="graph-llm", purpose="the graph LLM in this process")
    import torch

    from hoptrail.models.graph_llm.checkpoint import load_checkpoint
    from hoptrail.models.graph_llm.engine import GraphEngine

    device = "cuda" if torch.cuda.is_available() else "cpu"
    return GraphEngine(load_checkpoint(folder, device=device))


def _as_generation(request: ChatRequest) -> GenerationRequest:
    from hoptrail.models.graph_llm.generation import GenerationRequest
    from hoptrail.models.graph_llm.sampling import SamplingOptions

    given: dict[str, Any] = dict(request.options)
    stop = tuple(given.pop("stop", ()))
    options = SamplingOptions(max_new_tokens=given.pop("max_tokens", MOST_TOKENS), **given)
    return GenerationRequest(request.messages, request.graph, options, stop)
