"""Spans, where something in this process records them; elsewhere they cost next to nothing.

OpenTelemetry is never imported for that: where nobody has imported it, nobody records. A provider
that an application has set is used as it is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

from hoptrail.core.errors import HoptrailError

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span as RecordedSpan
    from opentelemetry.trace import Tracer


Value = str | bool | int | float | Sequence[str]
Attributes = Mapping[str, Value | None]
Kind = Literal["INTERNAL", "SERVER", "CLIENT"]
Side = Literal["input", "output"]

LIBRARY = "hoptrail"

_captures: ContextVar[bool] = ContextVar("captures_content", default=False)
_is_silent: ContextVar[bool] = ContextVar("is_silent", default=False)
_thread: ContextVar[str | None] = ContextVar("thread", default=None)


class Span:
    """One span; without a recorded one it takes everything and keeps nothing."""

    def __init__(self, recorded: RecordedSpan | None = None) -> None:
        self._recorded = recorded

    @property
    def is_recorded(self) -> bool:
        """Whether anybody will see it: what is only for it need not be computed else."""
        return self._recorded is not None and self._recorded.is_recording()

    @property
    def captures(self) -> bool:
        """Whether texts may stand in it, as the setting `capture_content` says."""
        return self.is_recorded and _captures.get()

    @property
    def trace_header(self) -> str | None:
        """The span as a `traceparent` or `traceresponse` names it; None where there is none."""
        if self._recorded is None:
            return None
        place = self._recorded.get_span_context()
        return f"00-{place.trace_id:032x}-{place.span_id:016x}-{int(place.trace_flags):02x}"

    def set(self, attributes: Attributes) -> None:
        """Set attributes; those that are None are left out."""
        if self._recorded is not None:
            self._recorded.set_attributes(_given(attributes))

    def set_text(self, name: str, text: str) -> None:
        """Set an attribute to a text of a user, a document or a model, where these may be told."""
        if self.captures:
            self.set({name: text})

    def set_json(self, name: str, value: object) -> None:
        """Set an attribute to the JSON of such texts, where these may be told."""
        if self.captures:
            self.set_text(name, json.dumps(value, ensure_ascii=False, default=str))

    def set_shown(self, side: Side, value: object) -> None:
        """Set what Phoenix, Langfuse and LangSmith show as input or output, where it may be told.

        Args:
            side: Which of the two.
            value: A text, or what is shown as JSON; nothing is shown of what is empty.
        """
        if not self.captures or not value:
            return
        is_text = isinstance(value, str)
        # Where no form is named, Phoenix takes some texts for JSON.
        self.set({f"{side}.mime_type": "text/plain" if is_text else "application/json"})
        if isinstance(value, str):
            self.set_text(f"{side}.value", value)
        else:
            self.set_json(f"{side}.value", value)

    def add_event(self, name: str, attributes: Attributes) -> None:
        """Add something that happened meanwhile."""
        if self._recorded is not None:
            self._recorded.add_event(name, _given(attributes))

    def rename(self, name: str) -> None:
        """Give the span another name."""
        if self._recorded is not None:
            self._recorded.update_name(name)

    def fail(self, kind: str) -> None:
        """Mark it as failed; the message of an error may hold texts, so its kind stands for it."""
        if self._recorded is not None:
            from opentelemetry.trace import StatusCode

            self._recorded.set_attribute("error.type", kind)
            self._recorded.set_status(StatusCode.ERROR, kind)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Let the spans that begin within be parts of it; for a generator, step by step."""
        if self._recorded is None:
            yield
            return
        from opentelemetry.trace import use_span

        with use_span(self._recorded, record_exception=False, set_status_on_exception=False):
            yield

    def end(self) -> None:
        """End a span that `begin` has begun."""
        if self._recorded is not None:
            self._recorded.end()


NO_SPAN = Span()
_request: ContextVar[Span] = ContextVar("request", default=NO_SPAN)


@contextmanager
def span(
    name: str,
    attributes: Attributes | None = None,
    *,
    kind: Kind = "INTERNAL",
    caller: Context | None = None,
) -> Iterator[Span]:
    """Yield a span of what is done within; not to be held over the `yield` of a generator.

    Args:
        name: Of few possible values: no ids, no texts.
        attributes: What is known at the beginning.
        kind: Whether a request is answered or sent.
        caller: What it is a part of; else of the span around it.
    """
    begun = begin(name, attributes, kind=kind, caller=caller)
    if begun is NO_SPAN:
        yield begun
        return
    try:
        with begun.current():
            yield begun
    except BaseException as error:
        begun.fail(error_type(error))
        raise
    finally:
        begun.end()


def begin(
    name: str,
    attributes: Attributes | None = None,
    *,
    kind: Kind = "INTERNAL",
    caller: Context | None = None,
) -> Span:
    """Return a new span, to be ended by its `end`; arguments as of `span`."""
    tracer = _tracer()
    if tracer is None:
        return NO_SPAN
    from opentelemetry.trace import SpanKind

    told = _given({**thread_attributes(_thread.get()), **(attributes or {})})
    return Span(tracer.start_span(name, caller, kind=SpanKind[kind], attributes=told))


@contextmanager
def request(
    name: str, attributes: Attributes | None = None, *, caller: Context | None = None
) -> Iterator[Span]:
    """Yield a span of a request that is answered within; arguments as of `span`."""
    with span(name, attributes, kind="SERVER", caller=caller) as one:
        token = _request.set(one)
        try:
            yield one
        finally:
            _request.reset(token)


def request_span() -> Span:
    """Return the span of the request that is being answered here; it takes nothing without one."""
    return _request.get()


def is_within_span() -> bool:
    """Return whether a span is around what runs now, whoever began it."""
    trace: Any = sys.modules.get("opentelemetry.trace")
    return trace is not None and trace.get_current_span().get_span_context().is_valid


def error_type(error: BaseException) -> str:
    """Return what kind of error it is, in a word without any text of it."""
    return error.code if isinstance(error, HoptrailError) else type(error).__name__


@contextmanager
def capturing(is_allowed: bool) -> Iterator[None]:
    """Let the spans within hold texts of questions, documents and models, or not."""
    token = _captures.set(is_allowed)
    try:
        yield
    finally:
        _captures.reset(token)


@contextmanager
def in_thread(thread: str | None) -> Iterator[None]:
    """Let the spans that begin within name a conversation: services group by any of them."""
    token = _thread.set(thread)
    try:
        yield
    finally:
        _thread.reset(token)


def thread_attributes(thread: str | None) -> Attributes:
    """Return the conversation as Phoenix and Langfuse read it, and as LangSmith does."""
    return {"session.id": thread, "langsmith.metadata.thread_id": thread}


@contextmanager
def untraced() -> Iterator[None]:
    """Record nothing of what is done within: nobody has asked for it."""
    token = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(token)


def is_untraced() -> bool:
    """Return whether nothing is to be recorded here."""
    return _is_silent.get()


def version() -> str:
    """Return the version of Hoptrail, whose root package no layer below it imports."""
    told: str = sys.modules[LIBRARY].__version__
    return told


def _tracer() -> Tracer | None:
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None or _is_silent.get():
        return None
    provider = trace.get_tracer_provider()
    if isinstance(provider, (trace.ProxyTracerProvider, trace.NoOpTracerProvider)):
        return None
    tracer: Tracer = provider.get_tracer(LIBRARY, version())
    return tracer


def _given(attributes: Attributes) -> dict[str, Value]:
    return {name: value for name, value in attributes.items() if value is not None}


def hand_on(headers: MutableMapping[str, str]) -> None:
    """Add `traceparent` and `tracestate` to the headers of a request, within a span."""
    if is_within_span():
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        TraceContextTextMapPropagator().inject(headers)


def context_of(headers: Mapping[str, str]) -> Context | None:
    """Return the caller's context that headers name; None where they name none that is valid.

    Args:
        headers: By their names in lower case.
    """
    if "traceparent" not in headers or "opentelemetry.trace" not in sys.modules:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract(headers)
