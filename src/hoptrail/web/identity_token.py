"""JSON Web Tokens in which a proxy names who is logged in."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import HoptrailError, SettingsError
from hoptrail.core.optional import require
from hoptrail.core.settings import IdentityToken
from hoptrail.web.errors import ApiError
from hoptrail.web.keys import file_stamp

if TYPE_CHECKING:
    from jwt.types import Options

_ALGORITHMS = tuple(f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512))
_ALGORITHMS += ("EdDSA",)
"""Those of public keys: with a shared one, whoever can check tokens could make them."""

_CLOCK_SECONDS = 30
_log = logging.getLogger(__name__)


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
