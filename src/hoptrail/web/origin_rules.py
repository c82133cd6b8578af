"""Gates: which requests may come from where, of this server's name and from no other's page."""

from __future__ import annotations

import ipaddress
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.core.errors import SettingsError

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of this machine that no other machine reaches."""

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\[\]:/?#@*\s]+))(?::\d+)?")


class Refusal(Exception):  # noqa: N818 - it is an answer, not a fault
    """Why a request is not let through.

    Args:
        status: HTTP status.
        reason: One line for the client.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class OriginRules:
    """Permissions that the operator gives.

    Args:
        hosts: Names that clients call the server by, besides those of the loopback address.
        origins: Origins of web pages that may read and write, such as `https://example.org`.
        any_address: Whether clients may call it by any IP address. That is safe from pages whose
            name is made to point here (DNS rebinding): these send their name.
    """

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    any_address: bool = False

    def check_origin(self, method: str, headers: Headers) -> None:
        """Raise Refusal unless a request comes from where requests may come from.

        Args:
            method: Of HTTP.
            headers: Of the request.
        """
        host = self.check_host(headers)
        origin = headers.get("origin")
        if method == "OPTIONS":
            # A browser's question whether a page may ask; only the allowed ones get an answer.
            if origin not in self.origins:
                raise Refusal(403, self.refused_origin(origin))
        elif origin is not None:
            if origin not in self.origins and origin.partition("://")[2] != host:
                raise Refusal(403, self.refused_origin(origin) + _lost_port(origin, host))
        elif _is_embedded(headers):
            raise Refusal(403, "pages of other origins may not load this server's answers")

    def refused_origin(self, origin: str | None) -> str:
        """Return why a page of this origin is refused."""
        return f"pages of {origin!r} may not use this server"

    def check_host(self, headers: Headers) -> str:
        """Return the name and port that a request calls the server by.

        Raises:
            Refusal: If they are not this server's.
        """
        given = headers.getlist("host")
        host = given[0].lower() if len(given) == 1 else ""
        parts = _HOST.fullmatch(host)
        name = (parts[1] or parts[2]) if parts else ""
        known = name in LOOPBACK or name in self.hosts
        if not known and not (self.any_address and _is_address(name)):
            raise Refusal(
                400,
                f"host {host!r} is not this server's (allowed_hosts or --allow-host adds a name)",
            )
        return host


def check_content_type(headers: Headers) -> None:
    """Raise Refusal if a request has a body that is not declared to be JSON.

    A page may send a form or plain text across origins without asking first, but not JSON.
    """
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return
    given = [one.partition(";")[0].strip().lower() for one in headers.getlist("content-type")]
    if given != ["application/json"]:
        shown = ", ".join(given) or "none"
        raise Refusal(415, f"the content type must be application/json, not {shown!r}")


def read_origin(url: str) -> str:
    """Return an origin as browsers write it.

    Raises:
        SettingsError: If it is none.
    """
    origin = url.lower().removesuffix("/")
    if not re.fullmatch(rf"https?://{_HOST.pattern}", origin):
        raise SettingsError(
            f"--allow-origin {url!r} is no origin", hint="use one like https://example.org"
        )
    return origin


def read_host(name: str) -> str:
    """Return a host's name as the rules compare it.

    Raises:
        SettingsError: If it is none.
    """
    is_name = ":" not in name and _HOST.fullmatch(name.lower()) is not None
    if not is_name and not _is_address(name):
        raise SettingsError(
            f"--allow-host {name!r} is no name", hint="use one like kb.example.org, without a port"
        )
    return name.lower()


def _lost_port(origin: str, host: str) -> str:
    """Return what is wrong where a proxy hands on the host without the port that it listens on."""
    name = origin.partition("://")[2].rpartition(":")[0]
    return ": the proxy hands on the Host header without its port" if name == host else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_embedded(headers: Headers) -> bool:
    """Return whether a page elsewhere loads this as a picture, script or frame.

    Such a request names no origin, but its browser says where it comes from. A link is followed.
    """
    if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return False
    return headers.get("sec-fetch-dest") != "document"


class HttpGate(ABC):
    """ASGI middleware that answers requests itself and closes web sockets.

    Args:
        app: What stands behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] == "websocket":
            # Browsers open them across origins without asking, and no client needs them.
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    @abstractmethod
    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
