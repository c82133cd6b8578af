"""Single sign-on: who asks, as a proxy that logs people in tells it."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from hoptrail.core.errors import HoptrailError, SettingsError
from hoptrail.core.optional import require
from hoptrail.core.settings import IdentityToken, SignOn
from hoptrail.web.errors import ApiError
from hoptrail.web.keys import PERSON, Access, access_of_rights, file_stamp
from hoptrail.web.new_key import is_key

if TYPE_CHECKING:
    from jwt.types import Options

_PEER = "hoptrail.peer"
_LONGEST_NAME = 200
_log = logging.getLogger(__name__)
_ALGORITHMS = tuple(f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512))
_ALGORITHMS += ("EdDSA",)
"""Those of public keys: with a shared one, whoever can check tokens could make them."""
_CLOCK_SECONDS = 30


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


class TokenReader:
    """Reads names out of tokens, by the issuer's public keys; a changed file is read anew.

    Args:
        choices: The keys' file, and what a token must say.

    Raises:
        SettingsError: If the file has no key that can be used.
        MissingExtraError: If PyJWT is not installed.
    """

    def __init__(self, choices: IdentityToken) -> None:
        for package in ("jwt", "cryptography"):
            require(package, extra="sign-on", purpose="sign_on.token")
        self._choices = choices
        self._file = choices.keys.absolute()
        self._stamp = file_stamp(self._file)
        self._keys = _read_keys(self._file)

    def name_in(self, value: str) -> str:
        """Return whom a token names; blocking.

        Args:
            value: The token, with or without `Bearer` before it.

        Raises:
            ApiError: If its signature, time, audience or issuer is not right, or it names nobody.
        """
        import jwt

        self._refresh()
        token = value.removeprefix("Bearer ").strip()
        needed: Options = {"require": ["exp", "aud", *(["iss"] if self._choices.issuer else [])]}
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key_of(jwt.get_unverified_header(token)),
                algorithms=_ALGORITHMS,
                audience=self._choices.audience,
                issuer=self._choices.issuer,
                leeway=_CLOCK_SECONDS,
                options=needed,
            )
        except (jwt.InvalidTokenError, ValueError) as error:
            raise unusable_identity(f"the identity token is refused: {error}") from error
        name = claims.get(self._choices.claim)
        if not isinstance(name, str):
            raise unusable_identity(f"the identity token has no text in {self._choices.claim!r}")
        return name

    def _key_of(self, header: dict[str, Any]) -> Any:
        """Return the key that a token's header names, or the only one."""
        import jwt

        named = header.get("kid")
        if named in self._keys:
            return self._keys[named]
        if len(self._keys) == 1 and (named is None or None in self._keys):
            return next(iter(self._keys.values()))
        raise jwt.InvalidTokenError(f"no key {named!r} in {self._file.name}")

    def _refresh(self) -> None:
        stamp = file_stamp(self._file)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._keys = _read_keys(self._file)
        except HoptrailError as error:
            _log.warning("the keys of identity tokens stay as they were: %s", error)


def _read_keys(file: Path) -> dict[str | None, Any]:
    """Return the public keys of a file by their ids, None for one without.

    Raises:
        SettingsError: If it has none.
    """
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from jwt import PyJWKSet
    from jwt.exceptions import PyJWTError

    try:
        text = file.read_text(encoding="utf-8")
        if not text.lstrip().startswith("{"):
            return {None: load_pem_public_key(text.encode())}
        found = json.loads(text)
        keys = PyJWKSet.from_dict(found if "keys" in found else {"keys": [found]}).keys
    except (OSError, ValueError, PyJWTError) as error:
        raise _unusable(file, str(error)) from error
    usable = {key.key_id: key for key in keys if key.algorithm_name in _ALGORITHMS}
    if not usable:
        raise _unusable(file, "it has no public key for signatures")
    return usable


def _unusable(file: Path, reason: str) -> SettingsError:
    return SettingsError(
        f"sign_on.token.keys {file}: {reason}",
        hint="name a file with the issuer's public key (PEM) or its JSON Web Key Set",
    )


def unusable_identity(reason: str) -> ApiError:
    """Return the refusal of a name that a proxy sends."""
    return ApiError(401, "bad_identity", reason, hint="look at the settings of the proxy")
