"""The compiled graph, with a span and metrics of each question that it is asked."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self

from langgraph.graph.state import CompiledStateGraph

from hoptrail.core.tracing import metrics
from hoptrail.core.tracing.spans import (
    NO_SPAN,
    Side,
    Span,
    begin,
    error_type,
    in_thread,
    is_untraced,
    request_span,
    thread_attributes,
)
from hoptrail.core.types import JsonDict
from hoptrail.graphs.context import Context
from hoptrail.graphs.state import QuestionInput, State

_END = object()


class TracedQuestion:
    """A question while it is answered; its nodes tell what becomes of it."""

    def __init__(self, span: Span, thread: str | None) -> None:
        self.span = span
        self._thread = thread
        self._request = request_span()
        self._started = time.perf_counter()
        self._labels: dict[str, str | None] = {"hoptrail.outcome": "stopped"}

    def tell_question(self, text: str) -> None:
        """Tell the question, where texts may be told."""
        self.span.set_json("gen_ai.input.messages", [_message("user", text)])
        self._show("input", text)

    def tell_answer(self, answer: JsonDict) -> None:
        """Tell what came of it, from an answer in its contract form."""
        outcome = "abstained" if answer["abstained"] else "answered"
        self._labels = {"hoptrail.outcome": outcome, "hoptrail.preset": answer["preset"]}
        usage = answer["usage"]
        self.span.set(
            {
                **self._labels,
                "hoptrail.question_type": answer["question_type"],
                "hoptrail.strategy": answer["strategy"],
                "hoptrail.stop_reason": answer["stop_reason"],
                "hoptrail.perhaps": answer["perhaps"],
                "hoptrail.hops": len(answer["trail"]),
                "hoptrail.citations": len(answer["citations"]),
                "hoptrail.degraded": bool(answer["degraded"]),
                **spent(usage),
            }
        )
        self.span.set_json("gen_ai.output.messages", [_message("assistant", answer["answer"])])
        self._show("output", answer["answer"])

    def fail(self, error: BaseException) -> None:
        """Tell that there is no answer because of an error."""
        if isinstance(error, Exception):
            self._labels = {"hoptrail.outcome": "failed", "error.type": error_type(error)}
            self.span.fail(error_type(error))

    def end(self) -> None:
        """End the span, and count the question."""
        self.span.set({"hoptrail.outcome": self._labels["hoptrail.outcome"]})
        self.span.end()
        metrics.add("hoptrail.questions", 1, self._labels)
        seconds = time.perf_counter() - self._started
        metrics.record("hoptrail.question.duration", seconds, self._labels)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Let the nodes that run within be parts of the question."""
        token = _question.set(self)
        try:
            with self.span.current(), in_thread(self._thread):
                yield
        finally:
            _question.reset(token)

    def _show(self, side: Side, text: str) -> None:
        """Show a text on the question, and on its request: lists show the first span of a trace."""
        self.span.set_shown(side, text)
        self._request.set_shown(side, text)


_question: ContextVar[TracedQuestion | None] = ContextVar("question", default=None)


def traced_question() -> TracedQuestion | None:
    """Return the question that is being answered here, None where nothing is traced."""
    return _question.get()


def spent(usage: Mapping[str, Any]) -> dict[str, int | float]:
    """Return the attributes of what a node or a question has spent, of its JSON form.

    They are not called `gen_ai.usage...`: whoever adds those up would count each call again.
    """
    names = ("llm_calls", "prompt_tokens", "completion_tokens", "embedding_calls", "usd")
    return {f"hoptrail.{name}": usage[name] for name in names if usage.get(name)}


class TracedGraph(CompiledStateGraph[State, Context, QuestionInput, State]):
    """A compiled graph each of whose runs is one span, with its nodes as parts.

    A run is a generator, which may be continued from anywhere: the span is the current one during
    each of its steps, and not between them.
    """

    @classmethod
    def of(cls, graph: CompiledStateGraph[State, Context, QuestionInput, State]) -> Self:
        """Return a compiled graph as a traced one."""
        # As `copy` does, which keeps the class.
        return cls(**{name: it for name, it in vars(graph).items() if name != "__orig_class__"})

    def astream(self, *arguments: Any, **choices: Any) -> Any:
        """Stream a run; see the class of LangGraph."""
        stream = super().astream(*arguments, **choices)
        question = _begin(arguments, choices)
        return stream if question is None else _asteps(stream, question)

    def stream(self, *arguments: Any, **choices: Any) -> Any:
        """Stream a run; see the class of LangGraph."""
        stream = super().stream(*arguments, **choices)
        question = _begin(arguments, choices)
        return stream if question is None else _steps(stream, question)


def _begin(arguments: tuple[Any, ...], choices: Mapping[str, Any]) -> TracedQuestion | None:
    """Return a new question for a run with these arguments, None where nothing is traced."""
    config = arguments[1] if len(arguments) > 1 else choices.get("config")
    chosen = (config or {}).get("configurable") or {}
    named = chosen.get("thread_id")
    thread = None if named is None else str(named)
    span = begin(
        "invoke_agent hoptrail",
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "hoptrail",
            "gen_ai.conversation.id": thread,
            **thread_attributes(thread),
            "openinference.span.kind": "AGENT",
        },
    )
    if span is NO_SPAN and (is_untraced() or not metrics.is_collected()):
        return None
    return TracedQuestion(span, thread)


async def _asteps(stream: Any, question: TracedQuestion) -> AsyncGenerator[Any, None]:
    try:
        while True:
            with question.current():
                item = await anext(stream, _END)
            if item is _END:
                return
            yield item
    except BaseException as error:
        question.fail(error)
        raise
    finally:
        with question.current():
            await stream.aclose()
        question.end()


def _steps(stream: Any, question: TracedQuestion) -> Generator[Any, None, None]:
    try:
        while True:
            with question.current():
                item = next(stream, _END)
            if item is _END:
                return
            yield item
    except BaseException as error:
        question.fail(error)
        raise
    finally:
        with question.current():
            stream.close()
        question.end()


def _message(role: str, text: str) -> JsonDict:
    return {"role": role, "parts": [{"type": "text", "content": text}]}
