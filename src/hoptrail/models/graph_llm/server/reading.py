"""From the bytes of a request, which are not trusted, to what the model is asked to write."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Literal, NoReturn

from fastapi import Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from hoptrail.models.graph_llm.generation import GenerationRequest, SamplingOptions
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.server.errors import ApiError
from hoptrail.models.graph_llm.server.options import ServerOptions

_MOST_STOPS = 4
# What changes nothing at this value, so that clients which always send it are served.
_NEUTRAL: dict[str, Any] = {
    "n": 1,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "logprobs": False,
    "tools": [],
    "response_format": {"type": "text"},
}
_UNREAD = frozenset({"user", "metadata", "store", "service_tier", "safety_identifier"})


def _is_text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError("the text holds half a character") from error
    return value


Text = Annotated[str, AfterValidator(_is_text)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class TextPart(_Strict):
    """A piece of a message's content."""

    type: Literal["text"]
    text: Text


class Message(_Strict):
    """One message of the conversation."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Text | list[TextPart] | None = None
    name: str | None = None

    @property
    def text(self) -> str:
        """The content as one text."""
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class StreamOptions(_Strict):
    """How a reply is streamed."""

    include_usage: bool = False


class ChatCompletionRequest(_Strict):
    """A request of `/v1/chat/completions`.

    `temperature` is 0 where it is not given: greedy, as the model is trained and measured.
    `graph` is checked by `GraphInput.from_json`.
    """

    model: str
    messages: list[Message] = Field(min_length=1)
    graph: Any = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = Field(default=None, ge=-(2**63), lt=2**63)
    stop: Text | list[Text] | None = None

    @model_validator(mode="before")
    @classmethod
    def _leave_out(cls, value: Any) -> Any:
        """Leave out what changes nothing; what would is an unknown field and refused."""
        if not isinstance(value, dict):
            return value
        return {
            name: item
            for name, item in value.items()
            if name not in _UNREAD
            and not (name in _NEUTRAL and (item is None or item == _NEUTRAL[name]))
        }


@dataclass(frozen=True, slots=True)
class ChatCall:
    """A checked request.

    Attributes:
        generation: What to write.
        stream: Whether the reply is sent as it is written.
        include_usage: Whether a stream ends with the token counts.
    """

    generation: GenerationRequest
    stream: bool
    include_usage: bool


def read_chat_call(body: bytes, options: ServerOptions) -> ChatCall:
    """Return the request in a body; it takes a while for a large graph.

    Raises:
        ApiError: If it is not valid, or names another model.
        GraphInputError: If its graph is not valid or too large.
    """
    asked = _validated(parse_object(body))
    if asked.model != options.model_name:
        raise unknown_model(asked.model, options)
    graph = None
    if asked.graph is not None:
        graph = GraphInput.from_json(
            asked.graph, most_nodes=options.nodes, most_edges=options.edges
        )
    return ChatCall(
        GenerationRequest(
            _messages(asked, options), graph, _sampling(asked, options), _stop(asked)
        ),
        bool(asked.stream),
        asked.stream_options is not None and asked.stream_options.include_usage,
    )


def unknown_model(name: str, options: ServerOptions) -> ApiError:
    """Return the error for a model that is not served."""
    return ApiError(
        HTTPStatus.NOT_FOUND,
        f"the model {name[:100]!r} does not exist",
        param="model",
        code="model_not_found",
        hint=f"this server has {options.model_name!r}",
    )


def _validated(value: dict[str, Any]) -> ChatCompletionRequest:
    try:
        return ChatCompletionRequest.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        param = ".".join(map(str, first["loc"])) or None
        message = f"{param}: {first['msg']}" if param else first["msg"]
        raise _refused(message, param) from error


def _messages(asked: ChatCompletionRequest, options: ServerOptions) -> tuple[dict[str, str], ...]:
    length = sum(len(message.text) for message in asked.messages)
    if length > options.prompt_characters:
        raise ApiError(
            HTTPStatus.BAD_REQUEST,
            f"the messages have {length:,} characters, more than the model can read",
            param="messages",
            code="context_length_exceeded",
        )
    return tuple(
        {
            "role": "system" if message.role == "developer" else message.role,
            "content": message.text,
        }
        for message in asked.messages
    )


def _sampling(asked: ChatCompletionRequest, options: ServerOptions) -> SamplingOptions:
    tokens = asked.max_completion_tokens or asked.max_tokens or options.reply_tokens
    if tokens > options.reply_tokens:
        field = "max_completion_tokens" if asked.max_completion_tokens else "max_tokens"
        raise _refused(f"{field} is {tokens}, at most {options.reply_tokens}", field)
    return SamplingOptions(
        max_new_tokens=tokens,
        temperature=asked.temperature or 0.0,
        top_p=1.0 if asked.top_p is None else asked.top_p,
        seed=options.seed if asked.seed is None else asked.seed,
    )


def _stop(asked: ChatCompletionRequest) -> tuple[str, ...]:
    texts = [asked.stop] if isinstance(asked.stop, str) else asked.stop or []
    if len(texts) > _MOST_STOPS or not all(texts):
        raise _refused(f"stop is at most {_MOST_STOPS} texts, none of them empty", "stop")
    return tuple(texts)


def _refused(message: str, param: str | None) -> ApiError:
    return ApiError(HTTPStatus.BAD_REQUEST, message, param=param, code="invalid_value")


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request.

    Args:
        request: Its body is not read yet.
        most: Bytes; no more are kept, whatever length is announced.

    Raises:
        ApiError: If it is larger.
        ClientDisconnect: If the client goes away.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        _refuse_size(most)
    body = bytearray()
    async for piece in request.stream():
        if len(body) + len(piece) > most:
            _refuse_size(most)
        body += piece
    return bytes(body)


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a body.

    Raises:
        ApiError: If it is empty, not JSON (NaN and Infinity are none), or no object.
    """
    if not body.strip():
        _refuse("the request has no body")
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
    except RecursionError:
        _refuse("the request is nested too deeply")
    except ValueError as error:  # text that is not UTF-8 and numbers of 5,000 digits, too
        _refuse(f"the request is not valid JSON: {error}")
    if not isinstance(value, dict):
        _refuse(f"the request is a JSON {type(value).__name__}, not an object")
    return value


def _refuse_constant(name: str) -> NoReturn:
    _refuse(f"the request is not valid JSON: it holds {name}")


def _refuse_size(most: int) -> NoReturn:
    raise ApiError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the request is larger than {most:,} bytes",
        code="request_too_large",
        headers={"Connection": "close"},
    )


def _refuse(message: str) -> NoReturn:
    raise ApiError(HTTPStatus.BAD_REQUEST, message, code="invalid_json")
