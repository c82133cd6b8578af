"""A call of a model as a span and as metrics, by the GenAI conventions of OpenTelemetry."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from langchain_core.messages import AIMessage, BaseMessage

from hoptrail.core.settings import Settings
from hoptrail.core.tracing import metrics
from hoptrail.core.tracing.spans import Attributes, Span, error_type, span
from hoptrail.core.types import JsonDict, NodeUsage
from hoptrail.models.failures import Failure

Operation = Literal["chat", "embeddings"]
_KINDS: Mapping[Operation, str] = {"chat": "LLM", "embeddings": "EMBEDDING"}
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


@dataclass
class TracedCall:
    """One call of a model, tries after failures included: its span, and what it has spent."""

    span: Span
    usage: NodeUsage = field(default_factory=NodeUsage)

    def book(self, spent: NodeUsage) -> None:
        """Count what a try has spent."""
        self.usage = self.usage + spent

    def note_failure(self, failure: Failure) -> None:
        """Tell of a try that failed; the server's words may repeat a prompt, and are left out."""
        self.span.add_event(
            "hoptrail.failed_try",
            {"hoptrail.cause": failure.cause, "http.response.status_code": failure.status},
        )

    def tell_prompt(self, messages: Sequence[BaseMessage]) -> None:
        """Tell the prompt, where texts may be told."""
        if self.span.captures:
            self.span.set_json("gen_ai.input.messages", [_as_json(one) for one in messages])
            self.span.set_shown("input", [_as_shown(one) for one in messages])

    def tell_reply(self, reply: AIMessage) -> None:
        """Tell what the server says of its reply, and the reply where texts may be told."""
        if not self.span.is_recorded:
            return
        facts = reply.response_metadata
        reason = facts.get("finish_reason") or facts.get("done_reason")
        name = facts.get("model_name") or facts.get("model")
        self.span.set(
            {
                "gen_ai.response.id": facts.get("id"),
                "gen_ai.response.model": str(name) if name else None,
                "gen_ai.response.finish_reasons": [str(reason)] if reason else None,
            }
        )
        if self.span.captures:
            told = {**_as_json(reply), "finish_reason": reason or "stop"}
            self.span.set_json("gen_ai.output.messages", [told])
            self.span.set_shown("output", reply.text if not reply.tool_calls else _as_shown(reply))


@contextmanager
def traced_call(
    operation: Operation,
    name: str,
    settings: Settings,
    *,
    role: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Iterator[TracedCall]:
    """Yield what to tell of a call that is made within.

    Args:
        operation: What is asked of the model.
        name: Its full name, `provider:model`.
        settings: Tell the server's address.
        role: What a chat model is used for.
        options: Of the request: `temperature` and `max_tokens`.
    """
    provider, _, model = name.rpartition(":")
    labels: dict[str, str | None] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": provider or "hoptrail",
        "gen_ai.request.model": model,
        "server.address": _server(operation, provider, settings),
    }
    given = options or {}
    told: Attributes = {
        **labels,
        "gen_ai.request.temperature": given.get("temperature"),
        "gen_ai.request.max_tokens": given.get("max_tokens"),
        "hoptrail.role": role,
        "openinference.span.kind": _KINDS[operation],
        "llm.model_name": model if operation == "chat" else None,
    }
    started = time.perf_counter()
    failed: str | None = None
    with span(f"{operation} {model}", told, kind="CLIENT") as one:
        call = TracedCall(one)
        try:
            yield call
        except BaseException as error:
            failed = error_type(error)
            raise
        finally:
            _tell(call, operation, labels, failed, time.perf_counter() - started)


def _tell(
    call: TracedCall,
    operation: Operation,
    labels: Mapping[str, str | None],
    failed: str | None,
    seconds: float,
) -> None:
    """Tell what a call has taken: tokens as they were believed, and their price where known."""
    usage = call.usage
    read = usage.prompt_tokens if operation == "chat" else usage.embedding_tokens
    tokens = {"input": read, "output": usage.completion_tokens}
    usd = None if usage.unpriced_calls else usage.usd
    of_chat = operation == "chat"
    call.span.set(
        {
            "gen_ai.usage.input_tokens": read,
            "gen_ai.usage.output_tokens": usage.completion_tokens if of_chat else None,
            "gen_ai.usage.cost": usd,
            # As Phoenix reads them.
            "llm.token_count.prompt": read if of_chat else None,
            "llm.token_count.completion": usage.completion_tokens if of_chat else None,
            "llm.cost.total": usd if of_chat else None,
        }
    )
    if not metrics.is_collected():
        return
    metrics.record("gen_ai.client.operation.duration", seconds, {**labels, "error.type": failed})
    for kind, number in tokens.items():
        if number:
            metrics.record(
                "gen_ai.client.token.usage", number, {**labels, "gen_ai.token.type": kind}
            )
    if usd:
        metrics.add("hoptrail.cost", usd, labels)


def _server(operation: Operation, provider: str, settings: Settings) -> str | None:
    """Return the host of a server that the settings name."""
    url = settings.base_url if operation == "chat" else settings.embedder_base_url
    return urlsplit(url).hostname if url and provider == "openai" else None


def _as_json(message: BaseMessage) -> JsonDict:
    """Return a message in the form of the conventions."""
    parts: list[JsonDict] = [{"type": "text", "content": message.text}] if message.text else []
    if isinstance(message, AIMessage):
        parts += (
            {"type": "tool_call", "id": one["id"], "name": one["name"], "arguments": one["args"]}
            for one in message.tool_calls
        )
    return {"role": _ROLES.get(message.type, message.type), "parts": parts}


def _as_shown(message: BaseMessage) -> JsonDict:
    """Return a message in the form that chats are shown from."""
    shown: JsonDict = {"role": _ROLES.get(message.type, message.type), "content": message.text}
    if isinstance(message, AIMessage) and message.tool_calls:
        shown["tool_calls"] = [
            {"id": one["id"], "name": one["name"], "arguments": one["args"]}
            for one in message.tool_calls
        ]
    return shown
