"""Reads the body of a request without trusting it."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, NoReturn

from fastapi import Request

from hoptrail.models.graph_llm.server.errors import ApiError


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request.

    Args:
        request: Its body is not read yet.
        most: Bytes; no more are kept, whatever length is announced.

    Raises:
        ApiError: If it is larger.
        ClientDisconnect: If the client goes away.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        _refuse_size(most)
    body = bytearray()
    async for piece in request.stream():
        if len(body) + len(piece) > most:
            _refuse_size(most)
        body += piece
    return bytes(body)


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a body.

    Raises:
        ApiError: If it is empty, not JSON (NaN and Infinity are none), or no object.
    """
    if not body.strip():
        _refuse("the request has no body")
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
    except RecursionError:
        _refuse("the request is nested too deeply")
    except ValueError as error:  # text that is not UTF-8 and numbers of 5,000 digits, too
        _refuse(f"the request is not valid JSON: {error}")
    if not isinstance(value, dict):
        _refuse(f"the request is a JSON {type(value).__name__}, not an object")
    return value


def _refuse_constant(name: str) -> NoReturn:
    _refuse(f"the request is not valid JSON: it holds {name}")


def _refuse_size(most: int) -> NoReturn:
    raise ApiError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the request is larger than {most:,} bytes",
        code="request_too_large",
        headers={"Connection": "close"},
    )


def _refuse(message: str) -> NoReturn:
    raise ApiError(HTTPStatus.BAD_REQUEST, message, code="invalid_json")
