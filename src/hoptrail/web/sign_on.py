"""Single sign-on: who asks, as a proxy that logs people in tells it."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from hoptrail.core.settings import SignOn
from hoptrail.web.errors import ApiError
from hoptrail.web.identity_token import TokenReader, unusable_identity
from hoptrail.web.keys import PERSON, Access, access_of_rights
from hoptrail.web.new_key import is_key

_PEER = "hoptrail.peer"
_LONGEST_NAME = 200
_log = logging.getLogger(__name__)


class PeerNotes:
    """ASGI middleware that notes who is connected, before forwarded headers are believed.

    Args:
        app: What stands behind it, such as a middleware that takes the client's address from
            `X-Forwarded-For`, which anybody can send.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on one connection with its note."""
        client = scope.get("client")
        await self._app({**scope, _PEER: client[0] if client else None}, receive, send)


class SignedOn:
    """The people whom proxies name.

    Args:
        choices: Which header of which proxies is believed, and what people may do.

    Raises:
        SettingsError: If the keys of tokens or a filter cannot be used.
        MissingExtraError: If tokens are to be read and PyJWT is not installed.
    """

    def __init__(self, choices: SignOn) -> None:
        self._choices = choices
        self._tokens = None if choices.token is None else TokenReader(choices.token)
        # Made once: what is wrong with them is to be told at the start.
        self._everybody = access_of_rights("", choices.rights)
        self._people: Mapping[str, Access] = {
            name: access_of_rights(_asker(name), rights) for name, rights in choices.people.items()
        }

    async def find(self, scope: Scope, headers: Headers) -> Access | None:
        """Return what the person may do whom a request's proxy names; None where none is named.

        Args:
            scope: Of the request.
            headers: Of the request.

        Raises:
            ApiError: 403 if the name comes from elsewhere than a proxy, 401 if it cannot be used.
        """
        given = headers.getlist(self._choices.header)
        if self._choices.header.lower() == "authorization":
            given = [value for value in given if not is_key(value.removeprefix("Bearer "))]
        if not given:
            return None
        peer = scope.get(_PEER)
        if not self._believes(peer):
            _log.warning("%s from %s was refused: it is no proxy", self._choices.header, peer)
            raise ApiError(
                403,
                "forged_identity",
                f"the header {self._choices.header} is taken from the proxy alone",
                hint="leave it out, or add this address to sign_on.proxies",
            )
        value = _only(given)
        if self._tokens is not None:
            # The file of its keys may have to be read.
            value = await asyncio.to_thread(self._tokens.name_in, value)
        name = _usable(value)
        return self._people.get(name) or self._everybody.named(_asker(name))

    def _believes(self, peer: str | None) -> bool:
        try:
            address = ipaddress.ip_address((peer or "").partition("%")[0])
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None)
        return any((mapped or address) in network for network in self._choices.proxies)


def _asker(name: str) -> str:
    """Return a person's name as that of an asker."""
    return f"{PERSON}{name}"


def _only(given: list[str]) -> str:
    if len(given) > 1:
        # A proxy that adds its header to one that came from outside sends both.
        raise unusable_identity("the header that names who is logged in was sent twice")
    return given[0]


def _usable(value: str) -> str:
    """Return the name in a header's value, which Starlette decodes as Latin-1.

    Raises:
        ApiError: If it is empty, too long, or could be two.
    """
    try:
        name = value.encode("latin-1").decode("utf-8").strip()
    except (UnicodeEncodeError, UnicodeDecodeError):
        name = value.strip()
    if "," in name:
        # Proxies may join a header that was sent twice by commas.
        raise unusable_identity("the name of who is logged in has a comma, as two names have")
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise unusable_identity(f"no name of 1 to {_LONGEST_NAME} printable characters")
    return name
