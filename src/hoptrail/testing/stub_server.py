"""A real HTTP server on loopback that speaks the OpenAI protocol and fails on demand."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hoptrail.core.tokens import estimate_tokens
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.testing.faults import Fault, LoopbackHandler, LoopbackServer

JsonDict = dict[str, Any]
Reply = str | JsonDict | Fault
Script = Reply | Sequence[Reply] | Callable[[JsonDict], Reply]


@dataclass(frozen=True, slots=True)
class StubRequest:
    """One request as it arrived; header names are in lower case."""

    body: JsonDict
    headers: Mapping[str, str]

    @property
    def text(self) -> str:
        """The prompt as one text."""
        return prompt_text(self.body)


def prompt_text(body: JsonDict) -> str:
    """Return the messages of a chat request as one text."""
    return "\n".join(str(message.get("content") or "") for message in body.get("messages", []))


class _Handler(LoopbackHandler):
    """Answers one connection."""

    stub: OpenAIStubServer

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            self.send_json(200, {"object": "list", "data": [{"id": "stub", "object": "model"}]})
        else:
            self.send_json(404, _error_body("no such path"))

    def do_POST(self) -> None:
        body = self.read_json()
        headers = {name.lower(): value for name, value in self.headers.items()}
        if self.path.rstrip("/").endswith("/embeddings"):
            self._embed(StubRequest(body, headers))
            return
        reply = self.stub.next_reply(StubRequest(body, headers))
        fault = reply if isinstance(reply, Fault) else Fault()
        content: str | JsonDict = fault.text if isinstance(reply, Fault) else reply
        if fault.delay:
            self.stub.hang(fault.delay)
        if fault.status != 200:
            self.send_json(fault.status, _error_body(fault.text, fault.code), fault.headers)
        elif body.get("stream"):
            self._stream(_completion(body, content, fault.finish_reason), body, fault)
        else:
            payload = _completion(body, content, fault.finish_reason)
            self.send_json(200, self._with_usage(payload), drop=fault.drop)

    def _embed(self, request: StubRequest) -> None:
        fault = self.stub.next_embedding_fault(request)
        if fault.delay:
            self.stub.hang(fault.delay)
        if fault.status != 200:
            self.send_json(fault.status, _error_body(fault.text, fault.code), fault.headers)
            return
        texts = request.body["input"]
        vectors = self.stub.embed([texts] if isinstance(texts, str) else texts)
        tokens = sum(map(estimate_tokens, texts))
        payload = {
            "object": "list",
            "model": request.body.get("model", "stub"),
            "data": [
                {"object": "embedding", "index": place, "embedding": vector}
                for place, vector in enumerate(vectors)
            ],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
        self.send_json(200, payload, drop=fault.drop)

    def _with_usage(self, payload: JsonDict) -> JsonDict:
        if not self.stub.sends_usage:
            return {**payload, "usage": None}
        return payload if self.stub.usage is None else {**payload, "usage": self.stub.usage}

    def _stream(self, completion: JsonDict, body: JsonDict, fault: Fault) -> None:
        wants_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        completion = self._with_usage(completion)
        events = list(_events(completion, wants_usage and self.stub.sends_usage))
        self.start_events()
        middle = len(events) // 2
        for place, event in enumerate(events[:middle] if fault.drop else events):
            self.stub.hang(fault.stall if place == middle else fault.pause)
            self.send_event(event)
        self.end_events(drop=fault.drop)


@dataclass
class OpenAIStubServer(LoopbackServer):
    """Serves `/v1/chat/completions` (streamed too), `/v1/models` and `/v1/embeddings`.

    A reply is a text, a dictionary (sent as a tool call where tools are offered, else as JSON
    text) or a `Fault`. The script is one reply, a list of them used in order whose last one stays,
    or a function of the request's body. Use it as a context manager::

        with OpenAIStubServer([http_error(429, retry_after=1), "Paris"]) as server:
            settings = Settings(model="openai:stub", base_url=server.url)

    Embeddings are those of `HashingEmbedder`, unless the test has others made.

    Args:
        script: What to reply to a chat request.
        sends_usage: Whether replies carry token counts.
        usage: What they carry instead of the true ones.
        port: Port on 127.0.0.1; 0 takes a free one.
        embedding_faults: What goes wrong with the first calls of the embedder, a fault each.
        embed: Makes the vectors of a call's texts.
    """

    handler = _Handler

    script: Script
    sends_usage: bool = True
    usage: Any = None
    port: int = 0
    embedding_faults: Sequence[Fault] = ()
    embed: Callable[[list[str]], Any] = lambda texts: HashingEmbedder().embed(texts).tolist()
    requests: list[StubRequest] = field(default_factory=list, init=False)
    embedding_requests: list[StubRequest] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    @property
    def calls(self) -> int:
        """Chat requests so far, failed ones included."""
        return len(self.requests)

    def next_reply(self, request: StubRequest) -> Reply:
        """Record a request and return what the script says to it."""
        with self._lock:
            position = len(self.requests)
            self.requests.append(request)
        script = self.script
        if callable(script):
            return script(request.body)
        if isinstance(script, str | dict | Fault):
            return script
        return script[min(position, len(script) - 1)]

    def next_embedding_fault(self, request: StubRequest) -> Fault:
        """Record a request for embeddings and return what goes wrong with it."""
        with self._lock:
            position = len(self.embedding_requests)
            self.embedding_requests.append(request)
        faults = self.embedding_faults
        return faults[position] if position < len(faults) else Fault()


def _completion(body: JsonDict, content: str | JsonDict, finish_reason: str = "") -> JsonDict:
    message: JsonDict = {"role": "assistant", "content": content}
    reason = "stop"
    if isinstance(content, dict):
        arguments = json.dumps(content, ensure_ascii=False)
        if body.get("tools"):
            function = {"name": body["tools"][0]["function"]["name"], "arguments": arguments}
            call = {"id": "call_stub", "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            reason = "tool_calls"
        else:
            message["content"] = arguments
    prompt = estimate_tokens(prompt_text(body))
    written = estimate_tokens(content if isinstance(content, str) else json.dumps(content))
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body.get("model", "stub"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason or reason}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
        },
    }


def _events(completion: JsonDict, with_usage: bool) -> Iterator[str]:
    choice = completion["choices"][0]
    message = choice["message"]
    frame = {**completion, "object": "chat.completion.chunk", "usage": None}

    def event(delta: JsonDict, reason: str | None = None) -> str:
        choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
        return json.dumps({**frame, "choices": choices})

    yield event({"role": "assistant", "content": ""})
    for piece in re.findall(r"\s*\S+|\s+$", message["content"] or ""):
        yield event({"content": piece})
    for index, call in enumerate(message.get("tool_calls", [])):
        yield event({"tool_calls": [{"index": index, **call}]})
    yield event({}, choice["finish_reason"])
    if with_usage:
        yield json.dumps({**frame, "choices": [], "usage": completion["usage"]})
    yield "[DONE]"


def _error_body(message: str, code: str | None = None) -> JsonDict:
    return {"error": {"message": message, "type": "stub_error", "code": code}}
