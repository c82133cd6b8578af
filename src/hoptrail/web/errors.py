"""Errors as clients get them: of Hoptrail's API, and in the shape of the OpenAI protocol."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from typing_extensions import TypedDict  # FastAPI describes those of typing from Python 3.12 on

from hoptrail.core.errors import (
    ClosedError,
    HoptrailError,
    InputError,
    KnowledgeBaseLockedError,
    ModelError,
    ModelKeyError,
    OverloadedError,
    SettingsError,
    StoreError,
    ThreadBusyError,
    UnknownNameError,
)

CLIENT_CLOSED_REQUEST = 499  # as nginx logs it; nobody is there to read it
_OPENAI = "/v1/"
_LONGEST = 500  # characters of a message that quotes a request
_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "bad_method",
    413: "too_large",
    415: "content_type",
}
_STATUS: tuple[tuple[type[HoptrailError], int], ...] = (
    (OverloadedError, 503),
    (ModelError, 503),
    (ModelKeyError, 503),  # the server's own, which no request can set
    (StoreError, 503),
    (UnknownNameError, 404),
    (ThreadBusyError, 409),
    (KnowledgeBaseLockedError, 409),
    (ClosedError, 503),
    (InputError, 422),
    (SettingsError, 422),
)
_log = logging.getLogger(__name__)


class ErrorNote(TypedDict):
    """Code, message and hint of a request that failed."""

    code: str
    message: str
    hint: str


class ErrorBody(TypedDict):
    """The body of a response that is no success."""

    error: ErrorNote


class OpenAIErrorNote(TypedDict):
    """The same in the shape of the OpenAI protocol."""

    message: str
    type: str
    param: str | None
    code: str


class OpenAIErrorBody(TypedDict):
    """The body of a response of the OpenAI protocol that is no success."""

    error: OpenAIErrorNote


class ApiError(HoptrailError):
    """A request that is refused.

    Args:
        status: HTTP status.
        code: Stable name of the reason.
        message: What is wrong.
        hint: What to do.
        headers: Of the response.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.code = code
        self.headers = dict(headers or {})


class BrokenBody(HTTPException):  # noqa: N818 - FastAPI lets only this class through while it reads
    """A request whose body cannot be read to its end.

    Args:
        status: HTTP status.
        code: Stable name of the reason.
        message: What is wrong.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(status, message, {"Connection": "close"})
        self.code = code


def status_of(error: Exception) -> int:
    """Return the HTTP status that says what an error means to a client."""
    if isinstance(error, ApiError):
        return error.status
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return status
    return HTTPStatus.INTERNAL_SERVER_ERROR.value


def error_body(error: Exception, *, openai: bool = False) -> ErrorBody | OpenAIErrorBody:
    """Return the JSON of an error; what is not Hoptrail's own is not told to clients."""
    if not isinstance(error, HoptrailError):
        told = ("internal", "the server failed to answer this request", "its log tells why")
    else:
        told = (error.code, error.message, _without_command(error.hint))
    return _body(status_of(error), *told, openai=openai)


def _without_command(hint: str) -> str:
    """Return the hint, nothing where it is a command: a client of the server has no shell there."""
    return "" if hint.startswith("hoptrail ") else hint


def refused(error: ApiError, path: str) -> Response:
    """Return the response of a refusal that no route has seen."""
    body = error_body(error, openai=path.startswith(_OPENAI))
    return JSONResponse(body, error.status, error.headers)


def log_failure(error: Exception) -> None:
    """Log what is the server's fault, with its traceback."""
    if status_of(error) == HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("a request failed: %s", error, exc_info=error)


def add_error_handlers(app: FastAPI) -> None:
    """Make all failures of an app answer in the shape that the client of the path knows."""
    app.add_exception_handler(HoptrailError, _on_own_error)
    app.add_exception_handler(RequestValidationError, _on_wrong_field)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(ClientDisconnect, _on_disconnect)
    app.add_exception_handler(Exception, _on_bug)


def _body(
    status: int, code: str, message: str, hint: str, *, openai: bool
) -> ErrorBody | OpenAIErrorBody:
    if not openai:
        return {"error": {"code": code, "message": message, "hint": hint}}
    kind = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    whole = f"{message} ({hint})" if hint else message
    return {"error": {"message": whole, "type": kind, "param": None, "code": code}}


def _response(
    request: Request, status: int, code: str, message: str, hint: str = "", headers: Any = None
) -> Response:
    openai = _is_openai(request)
    body = _body(status, code, _one_line(message), hint, openai=openai)
    return JSONResponse(body, status, dict(headers or {}))


def _is_openai(request: Request) -> bool:
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    return bool(path.startswith(_OPENAI))


def _on_own_error(request: Request, error: Exception) -> Response:
    log_failure(error)
    status = status_of(error)
    headers = dict(getattr(error, "headers", {}))
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.setdefault("Retry-After", "5")
    return JSONResponse(error_body(error, openai=_is_openai(request)), status, headers)


def _on_wrong_field(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return _response(request, 400, "bad_request", "the request is not valid JSON")
    place = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return _response(request, 422, "bad_input", f"{place}: {first['msg']}", "see docs/web_api.md")


def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = getattr(error, "code", None) or _CODES.get(error.status_code, "bad_request")
    message = error.detail
    if error.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        message = f"{request.method} {request.url.path} is not served here"
    elif message.startswith("There was an error parsing"):
        message = "the request is not valid JSON"
    return _response(request, error.status_code, code, message, headers=error.headers)


def _on_disconnect(request: Request, error: Exception) -> Response:
    return Response(status_code=CLIENT_CLOSED_REQUEST)


def _on_bug(request: Request, error: Exception) -> Response:
    return JSONResponse(error_body(error, openai=_is_openai(request)), 500)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
