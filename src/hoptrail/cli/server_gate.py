"""The gate before the LangGraph server.

A browser lets any page send requests to this machine, and the server by itself allows every
origin, checks no Host header, takes JSON under any content type and offers much that Hoptrail does
not need.

Checks of what a client asks of the graph, where it comes in.

The LangGraph server drops context fields that it does not know, and lets Python's own errors out
where values have the wrong type.

When the server ends, the answers that are being written come first, within a limit.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import shutil
import signal
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from types import FrameType
from typing import Any

from langchain_core.messages import convert_to_messages
from sse_starlette.sse import AppStatus
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hoptrail.cli.gate_rules import LARGEST_BODY, GateRules
from hoptrail.cli.output import warn
from hoptrail.core.errors import (
    HoptrailError,
    InputError,
    KnowledgeBaseError,
    ModelError,
    UnknownNameError,
)
from hoptrail.core.text import counted
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import resolve_preset
from hoptrail.graphs.state import QuestionInput
from hoptrail.services.open_knowledge_bases import require_knowledge_base
from hoptrail.services.request_services import check_choices, require_retriever
from hoptrail.web.origin_rules import HttpGate, Refusal

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LAST_LOOK_SECONDS = 1.0  # clients ask whether their run has ended, once its stream has
_STOPPED_AT_ONCE = 130


class ServerStop:
    """Lets answers finish after SIGTERM or Ctrl-C; a second signal ends the process at once.

    Until then the server goes on, but no run begins.

    Args:
        folder: The server's own folder, removed when it is ended at once.
        grace: Seconds that running answers get.
    """

    def __init__(self, folder: str, grace: float) -> None:
        self._folder = folder
        self._grace = grace
        self._answers = 0
        self._all_written = asyncio.Event()
        self.is_stopping = False

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Hold the end of the server back while an answer is written."""
        self._answers += 1
        self._all_written.clear()
        try:
            yield
        finally:
            self._answers -= 1
            if not self._answers:
                self._all_written.set()

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """Take over the signals from uvicorn while the server runs."""
        self._loop = asyncio.get_running_loop()
        self._handlers = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        yield

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_stopping:
            # Not here: in the event loop's thread, the LangGraph server forbids to touch files.
            threading.Thread(target=self._end_at_once).start()
            return
        self.is_stopping = True
        ending = self._finish(number)
        self._loop.call_soon_threadsafe(self._loop.create_task, ending)

    async def _finish(self, number: int) -> None:
        if self._answers:
            warn(f"finishing {counted(self._answers, 'answer')} first; once more stops at once")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._all_written.wait(), self._grace)
            if self._answers:
                warn(f"warning: cut off {counted(self._answers, 'unfinished answer')}")
            await asyncio.sleep(_LAST_LOOK_SECONDS)
        # Ends the streams that are left, which may only watch a thread and have no end.
        AppStatus.should_exit = True
        tell_uvicorn: Any = self._handlers[signal.Signals(number)]
        tell_uvicorn(number, None)

    def _end_at_once(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(_STOPPED_AT_ONCE)


_RUN = re.compile(r"(?:/threads/[^/]+)?/runs(?:/(?:stream|wait|batch))?|/threads/[^/]+/commands")
_ANSWERING = re.compile(
    r"(?:/threads/[^/]+)?/runs/(?:stream|wait)|/threads/[^/]+/runs/[^/]+/(?:stream|join)"
    r"|/threads/[^/]+/stream/events"
)

_log = logging.getLogger(__name__)

# What the server itself, its clients and LangGraph put beside the choices in `configurable`.
_OF_LANGGRAPH = frozenset(
    {
        "assistant_id",
        "checkpoint_id",
        "checkpoint_map",
        "checkpoint_ns",
        "cron_id",
        "graph_id",
        "run_id",
        "thread_id",
        "user-agent",
        "user_id",
    }
)
_PREFIXES_OF_LANGGRAPH = ("__", "langgraph_", "langsmith-", "x-")


class ServerGate(HttpGate):
    """ASGI middleware: refuses in one line, or hands on.

    Args:
        app: The server.
        rules: Which requests pass.
        stop: Is told which answers are being written.
        defaults: What holds for context fields that a request leaves unset.
    """

    def __init__(
        self, app: ASGIApp, rules: GateRules, stop: ServerStop, defaults: Context | None = None
    ) -> None:
        super().__init__(app)
        self._defaults = defaults
        self._rules = rules
        self._stop = stop

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["path"]
        try:
            self._rules.check(method, path, Headers(scope=scope))
            if method == "POST" and _RUN.fullmatch(path):
                if self._stop.is_stopping:
                    raise Refusal(503, "the server is stopping")
                body = await _read_body(receive)
                await asyncio.to_thread(_check_runs, body, self._defaults)
                receive = _replay(body, receive)
        except Refusal as refusal:
            _log.warning("refused a request: %s", refusal.reason)
            answer = JSONResponse({"detail": refusal.reason}, status_code=refusal.status)
            await answer(scope, receive, send)
            return
        if not _ANSWERING.fullmatch(path):
            await self._app(scope, receive, send)
            return
        with self._stop.answering():
            await self._app(scope, receive, send)


async def _read_body(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            raise Refusal(413, f"the request is larger than {LARGEST_BODY:,} bytes")
        if not message.get("more_body", False):
            return bytes(body)


def _check_runs(body: bytes, defaults: Context | None) -> None:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refusal(422, "the request is no JSON") from error
    for one in request if isinstance(request, list) else [request]:
        is_command = isinstance(one, dict) and "assistant_id" not in one and "params" in one
        try:
            check_run(one["params"] if is_command else one, defaults)
        except HoptrailError as error:
            raise Refusal(422, str(error)) from error


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what the server receives from: first the body that was read, then what follows."""
    unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return unread.pop() if unread else await receive()

    return replayed


def check_run(request: Any, defaults: Context | None = None) -> None:
    """Check input and context of a request for a run; the rest is the server's to check.

    Blocking: it may import plugins, read the settings and open a knowledge base, so call it in a
    thread.

    Args:
        request: The body of the request.
        defaults: What holds for context fields that a request leaves unset.

    Raises:
        InputError: If the input holds no question, or one that is no text, if the filter allows no
            document, or if a webhook is named.
        SettingsError: If a context field has a value that cannot be used, or names a model that is
            not listed.
        UnknownNameError: If a field of the input, the context or the filter does not exist, or a
            knowledge base, preset or retriever that the context names.
    """
    if not isinstance(request, Mapping):
        return
    for chosen in (request.get("context"), _configured(request)):
        if isinstance(chosen, Mapping):
            _check_names(resolve_context(chosen), defaults)
    if request.get("webhook") is not None:
        raise InputError(
            "this server calls no webhooks",
            hint="leave `webhook` out, and wait for the run or join it",
        )
    given = request.get("input")
    if given is not None:  # a run that goes on after an interrupt has none
        _check_input(given)


def _configured(request: Mapping[Any, Any]) -> dict[str, Any] | None:
    """Return the choices that came as `config.configurable`, the older place of the context."""
    config = request.get("config")
    configurable = config.get("configurable") if isinstance(config, Mapping) else None
    if not isinstance(configurable, Mapping):
        return None
    return {
        name: value
        for name, value in configurable.items()
        if name not in _OF_LANGGRAPH and not name.startswith(_PREFIXES_OF_LANGGRAPH)
    }


def _check_names(context: Context, defaults: Context | None) -> None:
    """Check the names that the request itself gives; others are the server's or an assistant's."""
    given = context.model_fields_set
    if "knowledge_base" in given:
        require_knowledge_base(context.knowledge_base)
    if "preset" in given:
        resolve_preset(context.preset, has_model=True)
    if context.retriever is not None:
        require_retriever(context.retriever)
    if not given.isdisjoint({"filter", "model", "models", "reranker"}):
        with suppress(
            KnowledgeBaseError, ModelError
        ):  # no mistake of the client's: the run tells it
            check_choices(resolve_context(context, defaults))


def _check_input(given: Any) -> None:
    if not isinstance(given, Mapping):
        raise InputError("the input is no object", hint='send {"question": "..."} or messages')
    known = QuestionInput.__annotations__
    for name in given:
        if name not in known:
            raise UnknownNameError("input field", name, known)
    question = given.get("question")
    if question is not None and not isinstance(question, str):
        raise InputError(f"the question is no text but {_kind(question)}")
    if given.get("messages") is not None:
        _check_messages(given["messages"])


def _check_messages(messages: Any) -> None:
    listed = messages if isinstance(messages, list) else [messages]
    try:
        convert_to_messages(listed)
    except (ValueError, TypeError, KeyError, NotImplementedError) as error:
        raise InputError(
            "the messages cannot be read",
            hint='send objects like {"role": "user", "content": "..."}',
        ) from error


def _kind(value: Any) -> str:
    kinds = {bool: "a truth value", int: "a number", float: "a number", list: "a list"}
    return kinds.get(type(value), "an object")
