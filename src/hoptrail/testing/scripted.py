"""A chat model that replies from a script: by role, by pattern or in order."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForLLMRun,
    CallbackManagerForLLMRun,
)
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from hoptrail.core.tokens import estimate_tokens
from hoptrail.models.message_pieces import message_chunks


@dataclass(frozen=True, slots=True)
class BrokenReply:
    """A reply whose stream fails with `error` after `text` was sent."""

    text: str
    error: Exception


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """One call of the model: role, question, messages and call options."""

    role: str
    question: str
    messages: list[BaseMessage]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The prompt as one text."""
        return "\n".join(message.text for message in self.messages)


class ScriptedChatModel(BaseChatModel):
    """Replies from a script; supports tools, structured output, streaming and token usage.

    A reply is a text, a dictionary or pydantic object (sent as a tool call where one is asked for,
    else as JSON text), an `AIMessage`, an exception (raised), a `BrokenReply`, or a function of the
    messages that returns one of these. A list of replies is used in order and its last one stays.

    Attributes:
        by_role: Reply or list of replies by the role in the prompt's metadata.
        by_pattern: The same by a regular expression that is searched in the prompt.
        replies: Replies in order for calls that neither role nor pattern covers.
        supports_tools: False makes `bind_tools` raise, as models without tools do.
        sends_usage: Whether replies carry token counts.
        delay: Seconds before each reply.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    by_role: Mapping[str, Any] = Field(default_factory=dict)
    by_pattern: Mapping[str, Any] = Field(default_factory=dict)
    replies: list[Any] = Field(default_factory=list)
    supports_tools: bool = True
    sends_usage: bool = True
    delay: float = 0.0

    _calls: list[ScriptedCall] = PrivateAttr(default_factory=list)
    _used: dict[str, int] = PrivateAttr(default_factory=dict)
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def calls(self) -> list[ScriptedCall]:
        """All calls so far, failed ones too."""
        return self._calls

    def calls_of(self, role: str) -> list[ScriptedCall]:
        """Return the calls that carried this role."""
        return [call for call in self._calls if call.role == role]

    @property
    def _llm_type(self) -> str:
        return "hoptrail-scripted"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | Any],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[Any, AIMessage]:
        """Bind tools as chat models do; a dictionary reply then becomes a call of the first."""
        if not self.supports_tools:
            raise NotImplementedError("this scripted model has no tools")
        bound = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=bound, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        reply = self._next_reply(messages, kwargs)
        if isinstance(reply, BrokenReply):
            raise reply.error
        message = self._as_message(reply, messages, kwargs)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        await asyncio.sleep(self.delay)
        return self._generate(messages, stop, None, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        reply = self._next_reply(messages, kwargs)
        broken = isinstance(reply, BrokenReply)
        message = self._as_message(reply.text if broken else reply, messages, kwargs)
        for chunk in message_chunks(message):
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk
        if broken:
            raise reply.error

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        await asyncio.sleep(self.delay)
        for chunk in self._stream(messages, stop, None, **kwargs):
            if run_manager is not None:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _next_reply(self, messages: list[BaseMessage], options: dict[str, Any]) -> Any:
        """Record the call and return its scripted reply; raise where that is an exception."""
        metadata = _metadata(messages)
        role = metadata.get("role", "")
        call = ScriptedCall(role, metadata.get("question", ""), list(messages), options)
        with self._lock:
            self._calls.append(call)
            reply = self._pick(call)
        while callable(reply) and not isinstance(reply, BaseModel | type):
            reply = reply(messages)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _pick(self, call: ScriptedCall) -> Any:
        if call.role in self.by_role:
            return self._advance(f"role {call.role}", self.by_role[call.role])
        for pattern, script in self.by_pattern.items():
            if re.search(pattern, call.text):
                return self._advance(f"pattern {pattern}", script)
        if self.replies:
            return self._advance("", self.replies)
        raise LookupError(f"the script has no reply for role {call.role!r}")

    def _advance(self, key: str, script: Any) -> Any:
        if not isinstance(script, list):
            return script
        position = self._used.get(key, 0)
        self._used[key] = position + 1
        return script[min(position, len(script) - 1)]

    def _as_message(
        self, reply: Any, messages: list[BaseMessage], options: dict[str, Any]
    ) -> AIMessage:
        if isinstance(reply, AIMessage):
            return reply.model_copy(deep=True)
        if isinstance(reply, BaseModel):
            message = _structured_message(reply.model_dump_json(), reply.model_dump(), options)
        elif isinstance(reply, dict):
            message = _structured_message(json.dumps(reply, ensure_ascii=False), reply, options)
        else:
            message = AIMessage(str(reply))
        if self.sends_usage:
            prompt = sum(estimate_tokens(part.text) for part in messages)
            completion = estimate_tokens(message.text or str(message.tool_calls))
            message.usage_metadata = UsageMetadata(
                input_tokens=prompt,
                output_tokens=completion,
                total_tokens=prompt + completion,
            )
        return message


def _metadata(messages: list[BaseMessage]) -> dict[str, str]:
    """Return the role and question that the prompt carries, empty where it carries none."""
    for message in messages:
        if "hoptrail" in message.additional_kwargs:
            found: dict[str, str] = message.additional_kwargs["hoptrail"]
            return found
    return {}


def _structured_message(text: str, data: dict[str, Any], options: dict[str, Any]) -> AIMessage:
    """Return the object as a call of the bound tool, or as JSON text where none is bound."""
    tools = options.get("tools")
    if not tools:
        return AIMessage(text)
    name = tools[0]["function"]["name"]
    return AIMessage("", tool_calls=[{"name": name, "args": data, "id": "call_scripted"}])
