"""`ChatGraphLlama`: a LangChain chat model that can be asked about a graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import Any, Self

from langchain_core.callbacks import (
    AsyncCallbackManagerForLLMRun,
    CallbackManagerForLLMRun,
)
from langchain_core.language_models.chat_models import (
    BaseChatModel,
    agenerate_from_stream,
    generate_from_stream,
)
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import Field, InstanceOf, SecretStr, field_validator, model_validator

from hoptrail.core.errors import HoptrailError, InputError, OverloadedError, SettingsError
from hoptrail.models.failures import (
    CallFailedError,
    DroppedStreamError,
    Failure,
    advise,
    failure_of,
    tell,
)
from hoptrail.models.graph_llm.client import ChatRequest, LocalGraphLlm, ServedGraphLlm
from hoptrail.models.graph_llm.generation import ReplyPart
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.loop_resources import background_loop

_VARIABLES = {
    "key_variable": "HOPTRAIL_GRAPH_LLM_KEY",
    "server_variable": "HOPTRAIL_GRAPH_LLM",
}
_ROLES = {"system": "system", "human": "user", "ai": "assistant"}
_CALL_OPTIONS = ("max_tokens", "temperature", "top_p", "seed")
_WRITABLE = frozenset({"graph", "timeout", *_CALL_OPTIONS})


class ChatGraphLlama(BaseChatModel):
    """A frozen decoder with graph tokens, in this process or behind `hoptrail serve-llm`.

    Give it the subgraph that a question is about as `graph`: with each call, bound, or as a field::

        llm = ChatGraphLlama(model="checkpoints/webqsp")
        graph = GraphInput.from_triples([("Ane Lund", "born_in", "Varde")])
        llm.invoke("Where was Ane Lund born?", graph=graph).text

    The prompt is then written as the model was trained: from the text of the last human message,
    the graph and its text form; other messages are not read. Without a graph the messages go to
    the plain base model as a chat. It has no tools and no structured output.

    Attributes:
        model: Folder of a checkpoint, loaded once in a process on the first call; or the URL of a
            server, `http://127.0.0.1:8000/v1`.
        api_key: Key of the server.
        served_name: The model's name at the server; by default the first that it lists.
        graph: For calls that bring none, as `GraphInput` or in its JSON form.
        max_tokens: Longest reply.
        temperature: 0 is greedy, as the model was trained and measured.
        top_p: Share of the probability that is sampled from.
        seed: Of what is sampled.
        stop: Texts that end a reply.
        timeout: Seconds that a reply may keep the caller waiting for its next part.
        max_retries: Tries after a transient failure of the server.
        client: Passes requests on (a `GraphLlmClient`); made from `model` where it is left out.
    """

    model: str = Field(min_length=1)
    api_key: SecretStr | None = None
    served_name: str | None = None
    graph: InstanceOf[GraphInput] | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float = Field(default=0.0, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None
    stop: list[str] | None = None
    timeout: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=2, ge=0)

    client: Any = Field(default=None, exclude=True, repr=False)

    @field_validator("graph", mode="before")
    @classmethod
    def _read_graph(cls, value: object) -> GraphInput | None:
        return _as_graph(value)

    @model_validator(mode="after")
    def _choose_client(self) -> Self:
        if self.client is None and is_url(self.model):
            key = self.api_key.get_secret_value() if self.api_key else None
            self.client = ServedGraphLlm(self.model, key, self.served_name, self.max_retries)
        elif self.client is None:
            self.client = LocalGraphLlm(self.model)
        return self

    def prepare(self) -> None:
        """Load a checkpoint now, which else the first call waits for; it may take half a minute.

        Raises:
            CheckpointError: If there is none, or it cannot be used.
            MissingExtraError: If the extra `graph-llm` is not installed.
        """
        self.client.prepare()

    @property
    def _llm_type(self) -> str:
        return "hoptrail-graph-llama"

    @property
    def _identifying_params(self) -> Mapping[str, Any]:
        fields = ("model", "served_name", "graph", "stop", *_CALL_OPTIONS)
        return {name: getattr(self, name) for name in fields}

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await agenerate_from_stream(self._astream(messages, stop, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        yield from background_loop().iterate(self._astream(messages, stop, **kwargs))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        request, reply = self._request(messages, stop, kwargs), ReplyChunks(self.model)
        with self._translating():
            async with aclosing(self.client.astream(request)) as parts:
                async for part in parts:
                    if chunk := reply.take(part):
                        yield chunk
                yield reply.end()

    def _request(
        self, messages: Sequence[BaseMessage], stop: list[str] | None, given: Mapping[str, Any]
    ) -> ChatRequest:
        for name in given.keys() - _WRITABLE:
            raise SettingsError(
                f"ChatGraphLlama takes no {name!r}",
                hint=f"a call may set {', '.join(sorted(_WRITABLE))}",
            )
        chosen = {name: given.get(name, getattr(self, name)) for name in _WRITABLE}
        options = {name: chosen[name] for name in _CALL_OPTIONS if chosen[name] is not None}
        if endings := [text for text in stop or self.stop or () if text]:
            options["stop"] = endings
        return ChatRequest(
            tuple(map(_as_openai, messages)), _as_graph(chosen["graph"]), options, chosen["timeout"]
        )

    @contextmanager
    def _translating(self) -> Iterator[None]:
        """Turn what the libraries raise into Hoptrail's errors."""
        try:
            yield
        except (InputError, OverloadedError) as error:
            # What a server would refuse with an HTTP status.
            busy = isinstance(error, OverloadedError)
            raise self._failed(Failure(error.message, transient=busy, hint=error.hint)) from error
        except HoptrailError:
            raise
        except Exception as error:
            failure = failure_of(error)
            if is_url(self.model):
                failure = replace(failure, hint=advise(failure, **_VARIABLES))
            raise self._failed(failure) from error

    def _failed(self, failure: Failure) -> CallFailedError:
        return CallFailedError(tell(failure, f"the graph LLM {self.model}"), failure)


def is_url(model: str) -> bool:
    """Return whether a graph LLM is named by the address of its server, not by a folder."""
    return model.startswith(("http://", "https://"))


def _as_graph(value: object) -> GraphInput | None:
    return value if value is None or isinstance(value, GraphInput) else GraphInput.from_json(value)


def _as_openai(message: BaseMessage) -> dict[str, str]:
    """Return a message's role and text.

    Raises:
        InputError: If it holds anything else than text, or is a tool's.
    """
    role = _ROLES.get(message.type.removesuffix("MessageChunk").lower())
    if role is None:
        raise InputError(f"the graph LLM reads no messages of type {message.type!r}")
    content = message.content
    if not isinstance(content, str) and any(
        not isinstance(block, str) and block.get("type") != "text" for block in content
    ):
        raise InputError("the graph LLM reads text only", hint="leave images and files out")
    return {"role": role, "content": str(message.text)}


class ReplyChunks:
    """Puts the parts of one reply into LangChain's chunks.

    Args:
        name: Of the model, for the reply's metadata.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._finish_reason: str | None = None
        self._usage: UsageMetadata | None = None

    def take(self, part: ReplyPart) -> ChatGenerationChunk | None:
        """Return the chunk for the text of a part, None where it has none."""
        self._finish_reason = part.finish_reason or self._finish_reason
        if part.prompt_tokens is not None and part.completion_tokens is not None:
            self._usage = UsageMetadata(
                input_tokens=part.prompt_tokens,
                output_tokens=part.completion_tokens,
                total_tokens=part.prompt_tokens + part.completion_tokens,
            )
        if not part.text:
            return None
        return ChatGenerationChunk(message=AIMessageChunk(content=part.text))

    def end(self) -> ChatGenerationChunk:
        """Return the last chunk: why the reply ended and what it took.

        Raises:
            DroppedStreamError: If nothing says that the reply is complete.
        """
        if self._finish_reason is None:
            raise DroppedStreamError("the reply's stream ended early")
        message = AIMessageChunk(
            content="",
            usage_metadata=self._usage,
            response_metadata={"finish_reason": self._finish_reason, "model_name": self._name},
            chunk_position="last",
        )
        return ChatGenerationChunk(
            message=message, generation_info={"finish_reason": self._finish_reason}
        )
