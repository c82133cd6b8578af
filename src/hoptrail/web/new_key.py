"""New API keys, and the names that they may have; needs no extra."""

from __future__ import annotations

import hashlib
import re
import secrets

from hoptrail.core.errors import SettingsError

_PREFIX = "hoptrail-"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # it stands in the places of threads in a store
_TAKEN = frozenset({"local", "nobody"})


def make_key(name: str) -> tuple[str, str]:
    """Return a new key for a holder and its hash; 256 random bits need no salt.

    Raises:
        SettingsError: If the name cannot be used.
    """
    check_name(name)
    key = _PREFIX + secrets.token_urlsafe(32)
    return key, hash_key(key)


def hash_key(key: str) -> str:
    """Return what the settings hold of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def is_key(text: str) -> bool:
    """Return whether a text looks like a key, known or not."""
    return text.strip().startswith(_PREFIX)


def check_name(name: str) -> None:
    """Raise SettingsError unless a key may have this name."""
    if not _NAME.fullmatch(name) or name in _TAKEN:
        raise SettingsError(
            f"a key cannot be named {name!r}",
            hint="use letters, digits, _ and -, and not 'local' or 'nobody'",
        )
