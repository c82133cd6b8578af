"""Failures of a model call in one form, whichever library raised them, and how they are told."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any, Literal

from hoptrail.core.errors import ModelUnavailableError
from hoptrail.models.loop_resources import RedirectRefusedError

Cause = Literal[
    "key_refused",
    "not_found",
    "too_many",
    "out_of_credit",
    "bad_request",
    "server_error",
    "late",
    "no_server",
    "no_host",
    "not_secure",
    "lost",
    "other",
]
"""Kinds of failures; `tell` and `advise` have words for each."""

_TRANSIENT_STATUS = frozenset({408, 409, 425, 429})
# By name: the providers' libraries and their HTTP clients share these names, not the classes.
_CONNECTION_ERRORS = frozenset({"APIConnectionError", "TransportError", "StreamError"})
_LOST_REPLIES = frozenset({"RemoteProtocolError", "ReadError", "DroppedStreamError"})
_REDIRECT_HINT = "nothing was sent there; if it is the right server, set its address"
_NO_CREDIT = re.compile(r"insufficient_quota|billing|exceeded your current quota", re.IGNORECASE)
_LONGEST_DETAIL = 300
_CAUSES: Mapping[int, Cause] = {
    401: "key_refused",
    402: "out_of_credit",
    403: "key_refused",
    404: "not_found",
    408: "late",
    429: "too_many",
}
# By class: the text of a failed connection is seldom more than "Connection error.".
_CAUSES_OF_CONNECTIONS: tuple[tuple[type[Exception], Cause, str], ...] = (
    (ConnectionRefusedError, "no_server", "connection refused"),
    (socket.gaierror, "no_host", ""),
    (ssl.SSLError, "not_secure", ""),
)
_SHORTEST_KEY = 8  # a server that asks for none is sent "none", which is a word
_KEY_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
_WORDS: MappingProxyType[Cause, str] = MappingProxyType(
    {
        "key_refused": "the server refuses the key of {called}",
        "not_found": "{called} is not known at its server's address",
        "too_many": "{called} is asked too often",
        "out_of_credit": "the account of {called} has no credit or quota left",
        "bad_request": "the server of {called} refuses the request",
        "server_error": "the server of {called} has an error",
        "late": "{called} sent no reply in time",
        "no_server": "no server answers for {called}",
        "no_host": "the server of {called} is not found by its name",
        "not_secure": "no secure connection to the server of {called} can be made",
        "lost": "the connection to the server of {called} failed",
        "other": "{called} is unavailable",
    }
)
_ADVICE: MappingProxyType[Cause, str] = MappingProxyType(
    {
        "key_refused": "check {key}, and that it may use this model",
        "not_found": "check the model's name{and_address}",
        "too_many": "try again later, or lower the concurrency",
        "out_of_credit": "see the account's plan and billing, or take another model",
        "bad_request": "see the model's limits",
        "server_error": "try again later, or see the server's log{and_address}",
        "late": "try again later, or raise HOPTRAIL_TIMEOUT_SECONDS",
        "no_server": "start it, or check the network{and_address}",
        "no_host": "check the network{and_address}",
        "not_secure": "check its certificate{and_address}",
        "lost": "check the network{and_address}",
        "other": "check the network{and_address}",
    }
)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed call.

    Attributes:
        reason: What went wrong, in one line, or what the server says of it; it shows no key.
        status: HTTP status; None where no response came.
        retry_after: Seconds that the server asks to wait.
        transient: Whether the same call may succeed later.
        in_vain: Whether the model is likely to have worked although no reply came.
        written: What the model wrote, where the server refused to pass it on as a tool call.
        hint: What to do about it, where that is known better than from the status.
        cause: What kind of failure it is.
    """

    reason: str
    status: int | None = None
    retry_after: float | None = None
    transient: bool = False
    in_vain: bool = False
    written: str | None = None
    hint: str = ""
    cause: Cause = "other"


class DroppedStreamError(ConnectionError):
    """A reply's stream ended before the server said that the reply was complete."""


class CallFailedError(ModelUnavailableError):
    """One call of a chat model of ours failed; `failure` tells whether to try again."""

    def __init__(self, message: str, failure: Failure) -> None:
        super().__init__(message, hint=failure.hint)
        self.failure = failure


def failure_of(error: Exception) -> Failure:
    """Classify an exception of a model call.

    Status 408, 409, 425, 429 and 5xx, timeouts and lost connections are transient, but for a 429
    that says that the account has no credit left.
    """
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return Failure("", transient=True, in_vain=True, cause="late")
    redirect = _refused_redirect(error)
    if redirect is not None:
        return Failure(_one_line(redirect), hint=_REDIRECT_HINT)
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _http_failure(error, status)
    names = {base.__name__ for base in type(error).__mro__}
    lost = isinstance(error, ConnectionError) or bool(names & _CONNECTION_ERRORS)
    # An error event inside a stream arrives as the libraries' plain APIError, without a status.
    lost = lost or type(error).__name__ == "APIError"
    cause, reason = _connection_cause(error) if lost else ("other", "")
    return Failure(
        reason or _one_line(_without_key(str(error), error) or error),
        transient=lost,
        in_vain=_lost_its_reply(error),
        cause=cause,
    )


def parse_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds in `retry-after-ms` or `Retry-After` (seconds or HTTP date), else None."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _lost_its_reply(error: BaseException | None) -> bool:
    while error is not None:
        if type(error).__name__ in _LOST_REPLIES:
            return True
        error = error.__cause__
    return False


def _connection_cause(error: BaseException) -> tuple[Cause, str]:
    """Return why a connection failed, and its words where the error's own say less."""
    for inner in _inner_errors(error):
        for kind, cause, words in _CAUSES_OF_CONNECTIONS:
            if isinstance(inner, kind):
                return cause, words or _one_line(inner)
    return "lost", ""


def _inner_errors(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that it came of, the outer one first."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__context__, one.__cause__]
        if isinstance(one, BaseExceptionGroup):  # an address of several machines is tried on each
            waiting += one.exceptions


def _refused_redirect(error: BaseException | None) -> RedirectRefusedError | None:
    while error is not None and not isinstance(error, RedirectRefusedError):
        error = error.__cause__
    return error


def _http_failure(error: Exception, status: int) -> Failure:
    body = getattr(error, "body", None)
    detail = body.get("error", body) if isinstance(body, dict) else {}
    detail = detail if isinstance(detail, dict) else {}
    response = getattr(error, "response", None)
    out_of_credit = status == 429 and bool(_NO_CREDIT.search(_one_line(error)))
    cause = "out_of_credit" if out_of_credit else _CAUSES.get(status)
    words = _one_line(_without_key(str(detail.get("message") or error), error))
    return Failure(
        reason=f"HTTP {status}: {words}",
        status=status,
        retry_after=parse_retry_after(response.headers) if response is not None else None,
        transient=(status in _TRANSIENT_STATUS or status >= 500) and not out_of_credit,
        written=_written(detail),
        cause=cause or ("server_error" if status >= 500 else "bad_request"),
    )


def _without_key(text: str, error: Exception) -> str:
    """Return a server's words without the key that it was sent: some repeat it."""
    headers = getattr(_request_of(error), "headers", {})
    for name in _KEY_HEADERS:
        key = str(headers.get(name) or "").removeprefix("Bearer ").strip()
        if len(key) >= _SHORTEST_KEY:
            text = text.replace(key, "***")
    return text


def _request_of(error: Exception) -> object:
    """Return what was sent; httpx raises where an error came before anything was."""
    try:
        return getattr(error, "request", None)
    except RuntimeError:
        return None


def _written(detail: Mapping[str, Any]) -> str | None:
    """Return the tool call that Groq's models got wrong, which comes as an HTTP 400."""
    written = detail.get("failed_generation")
    return written if isinstance(written, str) else None


def _one_line(error: object) -> str:
    text = " ".join(str(error).split())
    return text[:_LONGEST_DETAIL] or type(error).__name__


def _number(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text is not None else None
    except ValueError:
        return None


def tell(failure: Failure, called: str, tries: int = 1) -> str:
    """Return in one line what went wrong, with the server's own words where they show no key.

    Args:
        failure: The last one.
        called: Who was called, such as "model openai:gpt-4o-mini".
        tries: How often.
    """
    words = _WORDS[failure.cause].format(called=called)
    if tries > 1:
        words += f", after {tries} tries"
    if failure.cause == "key_refused":  # some servers repeat the key
        return f"{words} (HTTP {failure.status})"
    return f"{words}: {failure.reason}" if failure.reason else words


def advise(failure: Failure, *, key_variable: str = "", server_variable: str = "") -> str:
    """Return what to do next about a failure.

    Args:
        failure: The last one.
        key_variable: Environment variable of the key; empty if not known.
        server_variable: Environment variable of the server's address; empty if there is none.
    """
    if failure.hint:
        return failure.hint
    return _ADVICE[failure.cause].format(
        key=key_variable or "the key",
        and_address=f" and {server_variable}" if server_variable else "",
    )
