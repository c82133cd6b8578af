"""The connections and chat models of an event loop; both are of no use in another one.

What a server answers is checked here: where it redirects to, and the token counts that it gives,
for the libraries that read malformed ones would break on them.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import httpx

from hoptrail.core.background import BackgroundLoop
from hoptrail.core.tracing.spans import hand_on

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
IMPOSSIBLE = -1
"""Stands where a server's count was no whole number, so that nobody takes it for one."""
_loop_lock = threading.Lock()


def check_usage(response: httpx.Response) -> None:
    """Replace malformed `usage` in a reply, whole or streamed; a hook of an asynchronous client."""
    stream = response.stream
    if isinstance(stream, httpx.AsyncByteStream) and "content-encoding" not in response.headers:
        is_streamed = "event-stream" in response.headers.get("content-type", "")
        response.stream = _CheckedStream(stream, by_line=is_streamed)


class _CheckedStream(httpx.AsyncByteStream):
    """The bytes of another stream, whole or line by line, with their usage checked."""

    def __init__(self, stream: httpx.AsyncByteStream, *, by_line: bool) -> None:
        self._stream = stream
        self._by_line = by_line

    async def __aiter__(self) -> AsyncIterator[bytes]:
        begun: list[bytes] = []
        async for piece in self._stream:
            *whole, rest = piece.split(b"\n") if self._by_line else [piece]
            for line in whole:
                yield _checked(b"".join([*begun, line])) + b"\n"
                begun.clear()
            begun.append(rest)
        if any(begun):
            yield _checked(b"".join(begun))

    async def aclose(self) -> None:
        await self._stream.aclose()


def _checked(data: bytes) -> bytes:
    """Return JSON, or an event with JSON, whose usage libraries can read."""
    start = data.find(b"{")
    if b'"usage"' not in data or start < 0:
        return data
    try:
        reply = json.loads(data[start:])
    except (ValueError, RecursionError):
        return data
    # Groq's last event of a stream has it one level deeper.
    holders = [part for part in (reply, reply.get("x_groq")) if isinstance(part, dict)]
    malformed = [part for part in holders if not _is_well_formed(part.get("usage"))]
    for holder in malformed:
        holder["usage"] = dict.fromkeys(_COUNTS, IMPOSSIBLE)
    return data[:start] + json.dumps(reply).encode() if malformed else data


def _is_well_formed(usage: Any) -> bool:
    if usage is None:
        return True
    if not isinstance(usage, dict):
        return False
    details = [value for value in usage.values() if isinstance(value, dict)]
    named = [value for name, value in usage.items() if name.endswith("_details")]
    counts = [usage.get(name) for name in _COUNTS]
    counts += [count for detail in details for count in detail.values()]
    return all(value is None or isinstance(value, dict) for value in named) and all(
        count is None or type(count) is int for count in counts
    )


@dataclass
class LoopResources:
    """A pool of connections, and the chat models that were opened over it.

    Attributes:
        client: The pool; closed with the loop, which its connections must not outlive.
        models: Chat models by name, server and limits.
        closer: Closes the pool when the loop shuts down.
        transports: Pools of libraries that take no client; closed with the loop as well.
    """

    client: httpx.AsyncClient
    closer: AsyncGenerator[None, None]
    models: dict[tuple[object, ...], BaseChatModel] = field(default_factory=dict)
    transports: list[httpx.AsyncHTTPTransport] = field(default_factory=list)

    def new_transport(self) -> httpx.AsyncHTTPTransport:
        """Return a pool of connections that is closed with the loop."""
        self.transports.append(httpx.AsyncHTTPTransport())
        return self.transports[-1]


_BY_LOOP: dict[asyncio.AbstractEventLoop, LoopResources] = {}


async def loop_resources() -> LoopResources:
    """Return the resources of the running event loop, made on the first call."""
    loop = asyncio.get_running_loop()
    if loop in _BY_LOOP:
        return _BY_LOOP[loop]
    client = await asyncio.to_thread(_new_client)
    if loop in _BY_LOOP:  # another task was faster
        await client.aclose()
        return _BY_LOOP[loop]

    async def close_with_loop() -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            resources = _BY_LOOP.pop(loop)
            for transport in resources.transports:
                await transport.aclose()
            await client.aclose()

    # A loop closes its started asynchronous generators when it shuts down: the only hook there is.
    closer = close_with_loop()
    _BY_LOOP[loop] = LoopResources(client, closer)
    await anext(closer)
    return _BY_LOOP[loop]


def _new_client() -> httpx.AsyncClient:
    async def check(response: httpx.Response) -> None:
        refuse_redirect(response)
        check_usage(response)

    return httpx.AsyncClient(
        follow_redirects=True,
        # What comes compressed cannot be checked.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [name_trace], "response": [check]},
    )


async def name_trace(request: httpx.Request) -> None:
    """Tell a server which trace the request is part of, if any."""
    hand_on(request.headers)


class RedirectRefusedError(ConnectionError):
    """A server's answer points to another host, port or scheme; nothing was sent there."""


def refuse_redirect(response: httpx.Response) -> None:
    """Let redirects pass that stay with the server; a hook of an HTTP client that follows them.

    Raises:
        RedirectRefusedError: If the response points elsewhere.
    """
    if not response.has_redirect_location:
        return
    asked = response.request.url
    pointed = asked.join(response.headers["location"])
    if _origin(asked) != _origin(pointed):
        there = f"{pointed.scheme}://{pointed.netloc.rpartition(b'@')[2].decode('ascii')}"
        raise RedirectRefusedError(f"the server redirects to {there}, which was not followed")


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def background_loop() -> BackgroundLoop:
    """Return the loop of synchronous callers; it keeps their connections until the process ends."""
    with _loop_lock:
        return _loop()


@cache
def _loop() -> BackgroundLoop:
    loop = BackgroundLoop()
    atexit.register(loop.close)
    return loop
