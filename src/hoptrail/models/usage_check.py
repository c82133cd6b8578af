"""Token counts of a server that are no counts: the libraries that read them would break on them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
IMPOSSIBLE = -1
"""Stands where a server's count was no whole number, so that nobody takes it for one."""


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
