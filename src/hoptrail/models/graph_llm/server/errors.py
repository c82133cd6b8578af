"""Every failure in the OpenAI error shape."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from hoptrail.core.errors import (
    GraphInputError,
    HoptrailError,
    InputError,
    ModelUnavailableError,
    OverloadedError,
)

CLIENT_CLOSED_REQUEST = 499  # as nginx logs it; nobody is there to read it
_INVALID = "invalid_request_error"
_SERVER = "server_error"
_log = logging.getLogger(__name__)


class ApiError(InputError):
    """A request that the server refuses.

    Args:
        status: HTTP status.
        message: What is wrong.
        param: Field of the request that is at fault.
        code: Stable name of the failure.
        headers: Of the response.
        hint: What to do.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.param = param
        self.code = code or InputError.code
        self.headers = headers


def add_error_handlers(app: FastAPI) -> None:
    """Make all failures of an app answer in the OpenAI shape."""
    app.add_exception_handler(HoptrailError, _on_own_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(ClientDisconnect, _on_disconnect)
    app.add_exception_handler(Exception, _on_bug)


def error_body(error: Exception) -> dict[str, Any]:
    """Return the JSON body for an error; what is not Hoptrail's own is not told to clients."""
    if not isinstance(error, HoptrailError):
        return _body("the server failed to answer this request", _SERVER, None, "internal")
    param = getattr(error, "param", None)
    if isinstance(error, GraphInputError):
        param = "graph"
    kind = _INVALID if status_of(error) < HTTPStatus.INTERNAL_SERVER_ERROR else _SERVER
    return _body(str(error), kind, param, error.code)


def status_of(error: Exception) -> int:
    """Return the HTTP status that says what an error means to a client."""
    match error:
        case ApiError():
            return error.status
        case InputError():
            return HTTPStatus.BAD_REQUEST
        case OverloadedError():
            return HTTPStatus.TOO_MANY_REQUESTS
        case ModelUnavailableError():
            return HTTPStatus.SERVICE_UNAVAILABLE
        case _:
            return HTTPStatus.INTERNAL_SERVER_ERROR


def log_failure(error: Exception) -> None:
    """Log what is the server's fault, with its traceback."""
    if status_of(error) == HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("a request failed: %s", error, exc_info=error)


def _on_own_error(request: Request, error: Exception) -> Response:
    log_failure(error)
    status = status_of(error)
    headers = dict(getattr(error, "headers", None) or {})
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        headers["Retry-After"] = "1"
    return JSONResponse(error_body(error), status, headers)


def _on_http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        return _on_bug(request, error)
    message = f"{request.method} {request.url.path}: {error.detail}"
    code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
    return JSONResponse(_body(message, _INVALID, None, code), error.status_code, error.headers)


def _on_disconnect(request: Request, error: Exception) -> Response:
    return Response(status_code=CLIENT_CLOSED_REQUEST)


def _on_bug(request: Request, error: Exception) -> Response:
    return JSONResponse(error_body(error), HTTPStatus.INTERNAL_SERVER_ERROR)


def _body(message: str, kind: str, param: str | None, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
