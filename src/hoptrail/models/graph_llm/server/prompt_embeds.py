"""Soft prompts as vLLM's completions take them."""

from __future__ import annotations

import base64
import io

import torch
from torch import Tensor

from hoptrail.core.types import JsonDict
from hoptrail.models.graph_llm.generation import GenerationRequest


def encode_prompt(prompt: Tensor) -> str:
    """Return a soft prompt in vLLM's form: base64 of what `torch.save` writes.

    Source: vLLM documentation, "Prompt Embedding Inputs", Completions API.

    Args:
        prompt: Shape (length, hidden size), float32, bfloat16 or float16.
    """
    file = io.BytesIO()
    # Cloned, because a view is saved with all of the storage that it looks at.
    torch.save(prompt.detach().cpu().clone(memory_format=torch.contiguous_format), file)
    return base64.b64encode(file.getvalue()).decode("ascii")


def completion_body(request: GenerationRequest, prompt: Tensor, model: str) -> JsonDict:
    """Return the streamed completions request that continues a soft prompt.

    Args:
        request: Gives the options.
        prompt: Shape (length, hidden size).
        model: Name of the base model at the vLLM server.
    """
    options = request.options
    body: JsonDict = {
        "model": model,
        "prompt_embeds": encode_prompt(prompt),
        "max_tokens": options.max_new_tokens,
        "temperature": 0.0 if options.is_greedy else options.temperature,
        "top_p": options.top_p,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if options.seed is not None:
        body["seed"] = options.seed
    if request.stop:
        body["stop"] = list(request.stop)
    return body
