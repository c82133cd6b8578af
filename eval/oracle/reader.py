"""The oracle reader as a LangChain chat model (docs/evaluation.md, "The oracle reader")."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from hoptrail.core.errors import SettingsError
from hoptrail.core.tokens import estimate_tokens
from hoptrail.eval.oracle.decisions import Noise
from hoptrail.eval.oracle.oracle import GoldBook, Oracle
from hoptrail.eval.questions.question import Question
from hoptrail.models.message_pieces import message_chunks

_FORM = "use oracle or oracle:noise=0.1"


class OracleChatModel(BaseChatModel):
    """Answers from gold what the prompt's evidence supports, and else says that it does not know.

    It measures what retrieval and orchestration allow: it sees the prompt's text and metadata and
    the gold of the question in it, and no knowledge base. Replies carry token counts. Each prompt
    of a question is a decision of its own that noise may flip, the same one for the same seed.

    Args:
        book: The gold, by question.
        noise: Which decisions to flip.
        model: Its name in traces.
    """

    book: GoldBook
    noise: Noise = Field(default_factory=Noise)
    model: str = "oracle"

    @property
    def _llm_type(self) -> str:
        return "hoptrail-oracle"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"noise": self.noise.share, "seed": self.noise.seed}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | Any],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[Any, AIMessage]:
        """Bind tools as chat models do; a typed reply then becomes a call of the first."""
        bound = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=bound, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = self._reply(messages, kwargs)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in message_chunks(self._reply(messages, kwargs)):
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _reply(self, messages: list[BaseMessage], options: dict[str, Any]) -> AIMessage:
        reply = Oracle(self.book, self.noise).reply(messages)
        return as_message(reply, messages, options)


def make_oracle(
    questions: Sequence[Question], *, noise: float = 0.0, seed: int = 42
) -> OracleChatModel:
    """Return an oracle for these questions.

    Args:
        questions: With their gold.
        noise: Share of route, judge and answer decisions to flip, 0 to 1.
        seed: Decides which ones.

    Raises:
        SettingsError: If the noise is no share.
    """
    return OracleChatModel(book=GoldBook(questions), noise=Noise(noise, seed))


def as_message(
    reply: str | BaseModel, prompt: Sequence[BaseMessage], options: Mapping[str, Any]
) -> AIMessage:
    """Return a reply as a message with token usage by `estimate_tokens`.

    Args:
        reply: A text, or an object: a call of the bound tool if there is one, else JSON text.
        prompt: What was sent.
        options: The call's options, bound tools among them.
    """
    message = _as_text_or_call(reply, options)
    sent = sum(estimate_tokens(part.text) for part in prompt)
    written = estimate_tokens(message.text or json.dumps(message.tool_calls))
    message.usage_metadata = UsageMetadata(
        input_tokens=sent, output_tokens=written, total_tokens=sent + written
    )
    return message


def _as_text_or_call(reply: str | BaseModel, options: Mapping[str, Any]) -> AIMessage:
    if isinstance(reply, str):
        return AIMessage(reply)
    tools = options.get("tools")
    if not tools:
        return AIMessage(reply.model_dump_json())
    name = tools[0]["function"]["name"]
    return AIMessage("", tool_calls=[tool_call(name=name, args=reply.model_dump(), id="oracle")])


def parse_reader(text: str) -> float:
    """Return the noise of `oracle`, which has none, or of `oracle:noise=0.1`.

    Raises:
        SettingsError: If it reads otherwise, or the noise is no number from 0 to 1.
    """
    name, colon, option = text.strip().partition(":")
    if name != "oracle":
        raise SettingsError(f"unknown reader {text!r}", hint=_FORM)
    if not colon:
        return 0.0
    setting, _, value = option.partition("=")
    if setting.strip() != "noise":
        raise SettingsError(f"the oracle reader has no option {option!r}", hint=_FORM)
    try:
        return Noise(float(value)).share
    except ValueError as error:
        raise SettingsError(f"noise {value!r} is no number", hint=_FORM) from error
