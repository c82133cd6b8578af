"""Lets a vLLM server continue the soft prompts that are made here, and reads what it answers."""

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import torch
from torch import Tensor

from hoptrail.core.errors import (
    HoptrailError,
    ModelUnavailableError,
    OverloadedError,
    SettingsError,
)
from hoptrail.core.types import JsonDict
from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart, SamplingOptions
from hoptrail.models.graph_llm.prompt_worker import PromptWorker
from hoptrail.models.graph_llm.server.streamed_completions import (
    completion_options,
    failure_of_response,
    read_parts,
)

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama

_CONNECT_SECONDS = 5.0
_PART_SECONDS = 60.0  # until each part of a reply
_TRIAL = GenerationRequest(
    ({"role": "user", "content": "Hello"},), options=SamplingOptions(max_new_tokens=1)
)
_SERVER = "the vLLM server"


class VllmBackend:
    """Encodes graphs here and decodes on a vLLM server that was started with the base model.

    The server is `vllm serve BASE --enable-prompt-embeds`; the soft prompt is sent as the
    `prompt_embeds` of its `/v1/completions`. Weights of adapters cannot be sent this way.

    Args:
        model: Makes the soft prompts.
        url: Address of the vLLM server, ending in `/v1`.
        name: Name of the base model there.
        api_key: Its key, if it asks for one.
        most_unfinished: Requests on their way at once; more are refused.

    Raises:
        SettingsError: If the model has low-rank adapters.
    """

    def __init__(
        self,
        model: GraphLlama,
        url: str,
        name: str,
        *,
        api_key: str | None = None,
        most_unfinished: int = 256,
    ) -> None:
        if model.config.low_rank:
            raise SettingsError(
                "a model with low-rank adapters cannot be decoded by vLLM from here",
                hint="serve it without --vllm-url",
            )
        self._name = name
        self._most_unfinished = most_unfinished
        self._prompts = PromptWorker(model)
        self._client = httpx.AsyncClient(
            base_url=url,
            headers=_headers(api_key),
            timeout=httpx.Timeout(_PART_SECONDS, connect=_CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=None),
        )
        self._accepting = True
        self._abandoned = False
        self._unfinished = 0
        self._running = 0

    @property
    def accepting(self) -> bool:
        """Whether new requests are taken."""
        return self._accepting

    @property
    def unfinished(self) -> int:
        """Requests whose prompt is made or whose reply is written."""
        return self._unfinished

    @property
    def running(self) -> int:
        """Requests that the vLLM server has."""
        return self._running

    async def astream(self, request: GenerationRequest) -> AsyncGenerator[ReplyPart]:
        """Yield the reply as it is written; closing the iterator ends the writing.

        Raises:
            InputError: If the request is too long or its graph does not fit the model.
            OverloadedError: If too many requests are on their way.
            ModelUnavailableError: If the vLLM server cannot be reached, or this one shuts down.
            ModelReplyError: If the reply breaks off.
        """
        if not self._accepting:
            raise ModelUnavailableError("the model is being shut down", hint="try another one")
        if self._unfinished >= self._most_unfinished:
            raise OverloadedError(
                f"{self._unfinished} requests wait already", hint="try again in a moment"
            )
        self._unfinished += 1
        try:
            prompt = await asyncio.wrap_future(self._prompts.submit(request))
            async with aclosing(self._complete(request, prompt)) as parts:
                async for part in parts:
                    yield part
        except httpx.HTTPError as error:
            raise ModelUnavailableError(
                f"{_SERVER} cannot be reached: {type(error).__name__}"
            ) from error
        finally:
            self._unfinished -= 1

    def stop_accepting(self) -> None:
        """Refuse new requests from now on; the others go on."""
        self._accepting = False

    def abandon(self) -> None:
        """Refuse new requests and end the others at their next part."""
        self.stop_accepting()
        self._abandoned = True

    async def aclose(self) -> None:
        """Close the connections and end the thread that makes the prompts."""
        self.abandon()
        await self._client.aclose()
        await asyncio.to_thread(self._prompts.close)

    async def _complete(
        self, request: GenerationRequest, prompt: Tensor
    ) -> AsyncGenerator[ReplyPart]:
        body = await asyncio.to_thread(completion_body, request, prompt, self._name)
        self._running += 1
        try:
            async with self._client.stream("POST", "completions", json=body) as response:
                if response.status_code != httpx.codes.OK:
                    raise failure_of_response(_SERVER, response.status_code, await response.aread())
                async with aclosing(read_parts(_SERVER, response, len(prompt))) as parts:
                    async for part in parts:
                        if self._abandoned:
                            raise ModelUnavailableError("the model was shut down")
                        yield part
        finally:
            self._running -= 1


def api_url(url: str) -> str:
    """Return the address of a server's API; a bare one is completed by `/v1`."""
    return url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1"


async def try_vllm(
    model: GraphLlama, url: str, name: str | None = None, *, api_key: str | None = None
) -> str:
    """Return the name of the base model at a vLLM server, after a trial request.

    Args:
        model: Makes the soft prompt of the trial.
        url: Address of the server, ending in `/v1`.
        name: Name of the base model there; by default the first that it lists.
        api_key: Its key, if it asks for one.

    Raises:
        SettingsError: If the server is not there or does not take soft prompts of this model.
    """
    try:
        name = name or await _first_model(url, api_key)
        backend = VllmBackend(model, url, name, api_key=api_key)
        try:
            async with aclosing(backend.astream(_TRIAL)) as parts:
                async for _ in parts:
                    pass
        finally:
            await backend.aclose()
    except (HoptrailError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise SettingsError(
            f"the vLLM server at {url} cannot be used: {error}",
            hint="start it as: vllm serve BASE --enable-prompt-embeds",
        ) from error
    return name


async def _first_model(url: str, api_key: str | None) -> str:
    async with httpx.AsyncClient(base_url=url, headers=_headers(api_key)) as client:
        response = await client.get("models", timeout=_CONNECT_SECONDS)
    if response.status_code != httpx.codes.OK:
        raise failure_of_response(_SERVER, response.status_code, response.content)
    try:
        return str(response.json()["data"][0]["id"])
    except (ValueError, LookupError, TypeError) as error:
        raise SettingsError("it lists no model") from error


def _headers(api_key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


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
    return {
        "model": model,
        "prompt_embeds": encode_prompt(prompt),
        **completion_options(request),
    }
