"""The chat-completions request, as far as the server knows it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

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
