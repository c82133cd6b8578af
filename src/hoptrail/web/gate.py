"""The gate before every request: origin, key, limits of its body, headers, audit, metrics."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hoptrail.core.types import JsonDict
from hoptrail.web.errors import ApiError, BrokenBody, refused
from hoptrail.web.keys import NOBODY, Access, KeyRing
from hoptrail.web.monitoring import AuditLog, Metrics
from hoptrail.web.options import LARGEST_JSON
from hoptrail.web.origin_rules import HttpGate, OriginRules, Refusal, check_content_type
from hoptrail.web.sign_on import SignedOn

_BODY_SECONDS = 60.0
_UPLOAD_SECONDS = 900.0
_WRITES = frozenset({"POST", "PUT", "PATCH"})
_CODES = {400: "bad_host", 415: "content_type"}
_OPEN = frozenset({"/", "/health", "/ready", "/api/v1/openapi.json", "/favicon.ico"})
_OVERVIEW = "/api/v1"
_FILES = "/static/"
_SCOPED = ("/api/", "/v1/")
"""Paths below which the routes see to it that a key gets what it may."""
POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " object-src 'none'"
)
"""Content security policy of what is sent, unless a response brings its own."""
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(slots=True)
class RequestNotes:
    """Notes of the application's parts about a request, for the audit log.

    Attributes:
        access: Who asks.
        details: Fields of the audit line, such as `base`; never text of a question or document.
    """

    access: Access = NOBODY
    details: JsonDict = field(default_factory=dict)


class Gate(HttpGate):
    """ASGI middleware: refuses in the error shape of the path, or hands on.

    Args:
        app: The application.
        rules: Where requests may come from.
        keys: Who may ask.
        people: Whom a proxy may name; None without single sign-on.
        upload_bytes: Size of an upload.
        audit: Takes a line of each request.
        metrics: Counts requests.
    """

    def __init__(
        self,
        app: ASGIApp,
        rules: OriginRules,
        keys: KeyRing,
        people: SignedOn | None,
        upload_bytes: int,
        audit: AuditLog,
        metrics: Metrics,
    ) -> None:
        super().__init__(app)
        self._rules = rules
        self._keys = keys
        self._people = people
        self._upload_bytes = upload_bytes
        self._audit = audit
        self._metrics = metrics

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = path_of(scope)
        scope["query_string"] = _without_empty(scope["query_string"])
        notes = RequestNotes()
        scope.setdefault("state", {})["notes"] = notes
        started = time.perf_counter()
        status = 500

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if path.startswith(("/api/", "/v1/")):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            try:
                await self._check(scope, path, notes)
            except ApiError as error:
                await refused(error, path)(scope, receive, guarded)
                return
            limited = _LimitedBody(receive, *self._limits(path, Headers(scope=scope)))
            await self._app(scope, limited.receive, guarded)
        finally:
            seconds = time.perf_counter() - started
            route = route_of(scope, path)
            self._metrics.count_request(scope["method"], route, status, seconds)
            if not is_open(path):
                self._audit.note(
                    notes.access.name, scope["method"], route, status, seconds, notes.details
                )

    async def _check(self, scope: Scope, path: str, notes: RequestNotes) -> None:
        """Raise ApiError unless the request may pass; note who asks."""
        headers = Headers(scope=scope)
        method = scope["method"]
        try:
            if path.startswith(_FILES) and method in ("GET", "HEAD"):
                # They hold nothing of anybody; the page they make tells why the rest is refused.
                self._rules.check_host(headers)
            else:
                self._rules.check_origin(method, headers)
        except Refusal as refusal:
            raise _api_error(refusal) from refusal
        if is_open(path):
            return
        person = await self._people.find(scope, headers) if self._people else None
        try:
            notes.access = person or await self._keys.find(_bearer(headers))
        except ApiError:
            if path.rstrip("/") != _OVERVIEW or method != "GET":
                raise
        if notes.access.is_restricted and not f"{path}/".startswith(_SCOPED):
            # Metrics tell of every base, and so may the paths of a server that mounts this one.
            raise ApiError(403, "not_allowed", "this path is for keys without restrictions")
        if method in _WRITES and not _is_upload(path):
            try:
                check_content_type(headers)
            except Refusal as refusal:
                raise _api_error(refusal) from refusal

    def _limits(self, path: str, headers: Headers) -> tuple[int, float]:
        """Return how many bytes the body may have, and how many seconds it may take."""
        if _is_upload(path):
            return self._upload_bytes, _UPLOAD_SECONDS
        return LARGEST_JSON, _BODY_SECONDS


def _without_empty(query: bytes) -> bytes:
    """Return a query string without the names that have no value, as forms send what is not set."""
    return b"&".join(part for part in query.split(b"&") if part.partition(b"=")[2])


class _LimitedBody:
    """Receives a body that is neither too large nor too slow."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self._most = most
        self._deadline = time.monotonic() + seconds
        self._bytes = 0
        self._is_complete = False

    async def receive(self) -> Message:
        """Return the next message.

        Raises:
            BrokenBody: If the body has more bytes, or takes longer, than allowed.
        """
        if self._is_complete:
            return await self._receive()  # waits for the client to go away
        left = self._deadline - time.monotonic()
        try:
            message = await asyncio.wait_for(self._receive(), max(left, 0.001))
        except TimeoutError:
            raise BrokenBody(408, "too_slow", "the body took too long to arrive") from None
        if message["type"] != "http.request":
            return message
        self._bytes += len(message.get("body", b""))
        self._is_complete = not message.get("more_body", False)
        if self._bytes > self._most:
            raise BrokenBody(413, "too_large", f"the body has more than {self._most:,} bytes")
        return message


def path_of(scope: Scope) -> str:
    """Return the path of a request within the application."""
    return str(scope["path"].removeprefix(scope.get("root_path", "")) or "/")


def route_of(scope: Scope, path: str) -> str:
    """Return the pattern of a path, in which no id stands."""
    pattern = getattr(scope.get("route"), "path", None)
    if pattern is None:
        return "other"
    is_below = path.startswith(_OVERVIEW) and not pattern.startswith(_OVERVIEW)
    return f"{_OVERVIEW}{pattern}" if is_below else str(pattern)


def is_open(path: str) -> bool:
    """Return whether a path needs no key: files of the page, and whether the server is there."""
    return path in _OPEN or path.startswith(_FILES)


def _is_upload(path: str) -> bool:
    return path.startswith("/api/v1/bases/") and path.endswith("/documents")


def _bearer(headers: Headers) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else None


def _api_error(refusal: Refusal) -> ApiError:
    return ApiError(refusal.status, _CODES.get(refusal.status, "not_allowed"), refusal.reason)


def notes_of(scope: Any) -> RequestNotes:
    """Return the notes of a request that has passed the gate."""
    notes: RequestNotes = scope["state"]["notes"]
    return notes
