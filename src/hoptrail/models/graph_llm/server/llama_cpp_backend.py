"""Lets llama.cpp write the replies to plain chats of a base model that is a GGUF file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from hoptrail.core.errors import ModelUnavailableError, SettingsError
from hoptrail.models.graph_llm.base_model import find_base_model
from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart
from hoptrail.models.graph_llm.prompt import messages_prompt
from hoptrail.models.graph_llm.server.streamed_completions import (
    completion_options,
    failure_of_response,
    read_parts,
)
from hoptrail.models.local.gguf_server import CONTEXT, attach, check_model_file

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama
    from hoptrail.models.graph_llm.server.metrics import Backend

_SERVER = "llama.cpp"
_CONNECT_SECONDS = 5.0
_PART_SECONDS = 120.0  # until each part of a reply; the first comes when the prompt is read


def plain_file(model: GraphLlama) -> Path:
    """Return the GGUF file that answers plain chats as a model would.

    Raises:
        SettingsError: If there is none, for adapters change the base and on a GPU nothing is
            gained, or what runs it is not installed.
    """
    file = find_base_model(model.base.name)
    if model.config.low_rank or model.base.llm.device.type != "cpu" or not file.is_file():
        raise SettingsError(
            "llama.cpp cannot answer plain chats of this model",
            hint="take a GGUF file as the base, on a processor and without adapters",
        )
    check_model_file(file)
    return file


class LlamaCppBackend:
    """Gives a plain chat to llama.cpp while that is free, and all else to the engine.

    llama.cpp reads the few bits a weight that the file has, so one reply is there in less time;
    it writes one at a time. Replies that are written together are cheaper in the engine.

    Args:
        model: Its tokenizer and chat template make the prompts.
        file: Of the same base model.
        engine: Writes the other replies.
    """

    def __init__(self, model: GraphLlama, file: Path, engine: Backend) -> None:
        self._base = model.base
        self._file = file
        self._engine = engine
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(_PART_SECONDS, connect=_CONNECT_SECONDS)
        )
        self._turn = asyncio.Lock()
        self._abandoned = False

    @property
    def accepting(self) -> bool:
        """Whether new requests are taken."""
        return self._engine.accepting

    @property
    def unfinished(self) -> int:
        """Requests that wait or run."""
        return self._engine.unfinished + self._turn.locked()

    @property
    def running(self) -> int:
        """Those of them that are being written."""
        return self._engine.running + self._turn.locked()

    async def astream(self, request: GenerationRequest) -> AsyncGenerator[ReplyPart]:
        """Yield the reply as it is written; closing the iterator ends the writing.

        Raises:
            HoptrailError: As the engine's, and ModelReplyError if llama.cpp breaks off a reply.
        """
        if self._can_take(request):
            async with self._turn:
                prompt = await asyncio.to_thread(self._prompt, request)
                async with self._response(request, prompt) as response:
                    if response is not None:
                        async with aclosing(read_parts(_SERVER, response, len(prompt))) as parts:
                            async for part in parts:
                                self._require_running()
                                yield part
                        return
        async with aclosing(self._engine.astream(request)) as parts:
            async for part in parts:
                yield part

    def stop_accepting(self) -> None:
        """Refuse new requests from now on; the others go on."""
        self._engine.stop_accepting()

    def abandon(self) -> None:
        """Refuse new requests and end the others at their next part."""
        self._abandoned = True
        self._engine.abandon()

    async def aclose(self) -> None:
        """Close the connections and the engine; llama.cpp ends with its last user."""
        self.abandon()
        await self._client.aclose()
        await self._engine.aclose()

    def _can_take(self, request: GenerationRequest) -> bool:
        is_plain = request.graph is None and self._engine.accepting
        return is_plain and not self._turn.locked() and not self._engine.running

    def _prompt(self, request: GenerationRequest) -> tuple[int, ...]:
        room = self._base.context_length - request.options.max_new_tokens
        return messages_prompt(self._base, request.messages, room=room).ids

    @asynccontextmanager
    async def _response(
        self, request: GenerationRequest, prompt: tuple[int, ...]
    ) -> AsyncIterator[httpx.Response | None]:
        """Yield the streamed reply, None where llama.cpp has no room for it or does not run."""
        if len(prompt) + request.options.max_new_tokens > CONTEXT:
            yield None
            return
        try:
            server = await asyncio.to_thread(attach, self._file)
            asked = self._client.build_request(
                "POST",
                f"{server.base_url}/completions",
                json={"prompt": prompt, **completion_options(request)},
                headers={"Authorization": f"Bearer {server.key}"},
            )
            response = await self._client.send(asked, stream=True)
        except (ModelUnavailableError, httpx.HTTPError):
            yield None
            return
        try:
            if response.status_code != httpx.codes.OK:
                raise failure_of_response(_SERVER, response.status_code, await response.aread())
            yield response
        except httpx.HTTPError as error:
            raise ModelUnavailableError(f"{_SERVER} has ended: {error}") from error
        finally:
            await response.aclose()

    def _require_running(self) -> None:
        if self._abandoned:
            raise ModelUnavailableError("the model was shut down")
