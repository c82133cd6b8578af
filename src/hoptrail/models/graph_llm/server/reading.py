"""From the bytes of a request to what the model is asked to write."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from pydantic import ValidationError

from hoptrail.models.graph_llm.generation import GenerationRequest
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.sampling import SamplingOptions
from hoptrail.models.graph_llm.server.body import parse_object
from hoptrail.models.graph_llm.server.errors import ApiError
from hoptrail.models.graph_llm.server.options import ServerOptions
from hoptrail.models.graph_llm.server.schemas import ChatCompletionRequest

_MOST_STOPS = 4


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
