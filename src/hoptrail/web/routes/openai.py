"""The OpenAI protocol: models, and chat completions whole and streamed."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from hoptrail.core.errors import HoptrailError
from hoptrail.core.types import Answer, AnswerEvent, JsonDict
from hoptrail.graphs.conversation import Exchange
from hoptrail.web.answer_text import (
    ChatText,
    answer_of,
    chat_text,
    has_reserve,
    page_address,
    without_pictures,
)
from hoptrail.web.errors import ApiError, error_body, log_failure
from hoptrail.web.questions import Asked, Begun, begin
from hoptrail.web.responses import COMMENT, PAUSE_SECONDS, EventStream, event_text, final_answer
from hoptrail.web.routes import Body, sent
from hoptrail.web.runs import Stopped
from hoptrail.web.services import WebServices, access_of, request_notes, services_of

router = APIRouter(prefix="/v1", tags=["OpenAI protocol"])

_DONE = "data: [DONE]\n\n"
_STARTED = int(time.time())
_MOST_MESSAGES = 1000
_CHORE, _CONVERSATION = "### Task:", "<chat_history>"
"""How Open WebUI (0.12) begins a prompt for a title, tags or further questions, and what holds the
conversation in it. Its prompt for questions about a user's files has no conversation."""


class Part(BaseModel):
    """A piece of a message."""

    type: str
    text: str = ""


class Message(BaseModel):
    """A message of a conversation; those of the system say nothing that Hoptrail heeds."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """Its words.

        Raises:
            ApiError: If it has something else, such as a picture.
        """
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        if other := next((part.type for part in self.content if part.type != "text"), None):
            raise _invalid(f"messages: {other!r} cannot be read, only text")
        return "\n".join(part.text for part in self.content)


class Extra(Body):
    """Fields that Hoptrail takes beside those of the protocol."""

    sources: bool | None = Field(None, description="Whether sources are listed in the text.")
    filter: str | dict[str, Any] | None = Field(None, description="Documents to answer from.")


class StreamOptions(BaseModel):
    """How a streamed answer is sent."""

    include_usage: bool = False


class ChatCompletionRequest(Body):
    """The fields that are heeded; others, such as `temperature`, have no effect."""

    model_config = ConfigDict(extra="ignore")

    model: str
    messages: list[Message] = Field(min_length=1, max_length=_MOST_MESSAGES)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(1, description="Only 1.")
    hoptrail: Extra | None = None


@router.get("/models")
async def models(request: Request) -> JsonDict:
    """List a model per base, named BASE, and one per base and preset, named BASE/PRESET."""
    services, access = services_of(request), access_of(request)
    presets = services.bases.presets(access)
    names = [
        name
        for base in services.bases.names(access)
        for name in (base, *(f"{base}/{preset}" for preset in presets))
        if presets
    ]
    return {"object": "list", "data": [_model(name) for name in names]}


@router.get("/models/{name:path}")
async def model(request: Request, name: str) -> JsonDict:
    """Return one model."""
    _resolve(request, name)
    return _model(name)


@router.post(
    "/chat/completions",
    response_class=Response,
    responses=sent(
        "A completion; with stream: true its chunks.", "application/json", "text/event-stream"
    ),
)
async def chat_completions(request: Request, body: ChatCompletionRequest) -> Response:
    """Answer the last message of a conversation."""
    if body.n not in (None, 1):
        raise _invalid("n: only one choice can be given")
    services = services_of(request)
    base, preset = _resolve(request, body.model)
    question, history = _conversation(body.messages)
    wanted = body.hoptrail.filter if body.hoptrail else None
    asked = Asked(question, base, preset, None, wanted, history=history)
    begun = await begin(services, request_notes(request), asked)
    writer = _Writer(request, services, body, begun)
    if body.stream:
        return EventStream(begun.run, writer.chunks())
    answer = await final_answer(request, begun.run)
    return JSONResponse(writer.completion(answer))


class _Writer:
    """Writes an answer in the forms of the protocol."""

    def __init__(
        self, request: Request, services: WebServices, body: ChatCompletionRequest, begun: Begun
    ) -> None:
        self._begun = begun
        self._page = page_address(request, services.options.public_url)
        wanted = body.hoptrail.sources if body.hoptrail else None
        self._with_sources = services.options.lists_sources if wanted is None else wanted
        self._wants_usage = body.stream_options is not None and body.stream_options.include_usage
        self._head = {
            "id": f"chatcmpl-{begun.run.id}",
            "created": int(time.time()),
            "model": body.model,
        }

    def completion(self, answer: Answer) -> JsonDict:
        """Return the whole answer."""
        text = self._text(answer)
        message = {
            "role": "assistant",
            "content": without_pictures(answer.text) + text.ending,
            "refusal": None,
            "annotations": list(text.annotations),
        }
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [choice],
            "usage": _usage(answer),
            **_beside(answer, text),
        }

    async def chunks(self) -> AsyncIterator[str]:
        """Yield the answer once it is checked, and until then what keeps the connection.

        A client takes nothing back, and a checked answer may be another than the model wrote.
        """
        yield self._chunk({"role": "assistant", "content": ""})
        try:
            async for event in self._begun.run.events(PAUSE_SECONDS):
                match event:
                    case None:
                        yield COMMENT
                    case AnswerEvent():
                        yield self._chunk({"content": without_pictures(event.answer.text)})
                        for piece in self._end(event.answer):
                            yield piece
            yield _DONE
        except Stopped:
            yield event_text(error_body(_stopped(), openai=True))
        except Exception as error:
            if not isinstance(error, HoptrailError):
                log_failure(error)
            yield event_text(error_body(error, openai=True))

    def _end(self, answer: Answer) -> list[str]:
        text = self._text(answer)
        last = {"content": text.ending, "annotations": list(text.annotations)}
        pieces = [self._chunk(last), self._chunk({}, "stop", _beside(answer, text))]
        if self._wants_usage:
            whole = {**self._head, "object": "chat.completion.chunk", "choices": []}
            pieces.append(event_text({**whole, "usage": _usage(answer)}))
        return pieces

    def _text(self, answer: Answer) -> ChatText:
        return chat_text(answer, self._page, self._begun.base, with_sources=self._with_sources)

    def _chunk(self, delta: JsonDict, reason: str | None = None, beside: Any = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        chunk = {**self._head, "object": "chat.completion.chunk", "choices": [choice]}
        return event_text({**chunk, **(beside or {})})


def _conversation(messages: list[Message]) -> tuple[str, list[Exchange]]:
    """Return the last question, and each question of before with its answer and its reserve.

    Messages of the same side that follow each other are read as one.
    """
    turns: list[Exchange] = []
    question = answer = ""
    perhaps = False
    for message in messages:
        if message.role == "user":
            if answer:
                turns.append((question, answer, perhaps))
                question, answer, perhaps = "", "", False
            question = f"{question}\n{message.text}".strip()
        elif message.role == "assistant" and question:
            answer = f"{answer}\n{answer_of(message.text)}".strip()
            perhaps = perhaps or has_reserve(message.text)
    if messages[-1].role == "user" and not messages[-1].text.strip():
        raise _invalid("messages: the content of the last one is empty: it must be the question")
    if answer or not question:
        raise _invalid("messages: the last one must be the user's question")
    if question.startswith(_CHORE) and _CONVERSATION in question:
        raise ApiError(
            400,
            "no_question",
            "only questions are answered, no titles, tags or suggestions",
            hint="choose another task model in the chat client, or switch them off there",
        )
    return question, turns


def _resolve(request: Request, name: str) -> tuple[str, str]:
    """Return base and preset of a model's name; a base alone has the default preset."""
    services, access = services_of(request), access_of(request)
    base, _, preset = name.partition("/")
    try:
        return (
            services.bases.find(base, access)[0],
            services.bases.find_preset(preset or None, access),
        )
    except HoptrailError as error:
        raise ApiError(
            404, "model_not_found", f"the model {name!r} does not exist", hint="see GET /v1/models"
        ) from error


def _model(name: str) -> JsonDict:
    return {"id": name, "object": "model", "created": _STARTED, "owned_by": "hoptrail"}


def _beside(answer: Answer, text: ChatText) -> JsonDict:
    return {"citations": list(text.citations), "hoptrail": answer.to_contract()}


def _usage(answer: Answer) -> JsonDict:
    usage = answer.usage
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.tokens,
    }


def _stopped() -> ApiError:
    return ApiError(503, "stopping", "the question was stopped", hint="ask again")


def _invalid(message: str) -> ApiError:
    return ApiError(400, "invalid_request", message)
