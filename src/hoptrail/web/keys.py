"""API keys: who asks, and what they may do."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hoptrail.core.document_filter import DocumentFilter, filter_from_json
from hoptrail.core.errors import HoptrailError, SettingsError
from hoptrail.core.filter_text import FilterForm, parse_filter
from hoptrail.core.settings import ApiKey, Rights, load_settings
from hoptrail.core.types.feedback import LOCAL_READER
from hoptrail.web.errors import ApiError
from hoptrail.web.new_key import check_name, hash_key

SETTINGS_FILE = Path("hoptrail.toml")

PERSON = "user:"
"""Begins the names of people whom a proxy names; no key can be called so."""

_LOOK_AGAIN_SECONDS = 1.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Access:
    """Rights of one asker.

    Attributes:
        name: Of the key, or of the person after "user:"; "local" where neither is needed.
        bases: Names of knowledge bases, None for all.
        presets: Names of presets, None for all.
        filter: Documents that may be seen, None for all.
        requests_per_minute: None without a limit.
        usd_per_day: None without a limit.
        writes: Whether documents may be uploaded and deleted.
        reviews: Whether feedback of all readers may be read, and answers saved for all.
    """

    name: str
    bases: frozenset[str] | None = None
    presets: frozenset[str] | None = None
    filter: DocumentFilter | None = None
    requests_per_minute: int | None = None
    usd_per_day: float | None = None
    writes: bool = False
    reviews: bool = False

    @property
    def is_restricted(self) -> bool:
        """Whether it may do less than the operator, but for uploads; people always do."""
        limits = (self.requests_per_minute, self.usd_per_day)
        return self.name.startswith(PERSON) or any(
            one is not None for one in (self.bases, self.presets, self.filter, *limits)
        )

    @property
    def scope(self) -> str:
        """Name of the part of the documents that is seen: threads of another part stay hidden."""
        return "all" if self.filter is None else self.filter.digest

    @property
    def shown_name(self) -> str:
        """Name as its bearer knows it."""
        return self.name.removeprefix(PERSON)

    def named(self, name: str) -> Access:
        """Return the same rights for another asker."""
        return replace(self, name=name)

    def narrowed(self, wanted: FilterForm | None) -> dict[str, Any] | None:
        """Return the filter of a request: what the key allows and the request asks for.

        Raises:
            SettingsError: If the request's filter cannot be read.
        """
        if wanted is None or wanted == "":
            return None if self.filter is None else self.filter.to_json()
        asked = parse_filter(wanted)
        if self.filter is None:
            return asked.to_json()
        return filter_from_json({"and": [self.filter.to_json(), asked.to_json()]}).to_json()


LOCAL = Access(LOCAL_READER, writes=True, reviews=True)
"""Rights of all where no key is needed."""

NOBODY = Access("nobody", bases=frozenset(), presets=frozenset())
"""Rights of whoever sends no key that is known, for what is open to all."""


ReadKeys = Callable[[], Mapping[str, ApiKey]]


def keys_of_settings() -> Mapping[str, ApiKey]:
    """Return the keys that the settings hold now."""
    return load_settings().keys


class KeyRing:
    """The keys that open a server, read anew when the file of the settings changes.

    Args:
        keys: Those of the start.
        required: Whether nobody gets in without a key, even where none is set any more.
        read: Reads them anew; None for keys that a program gave, which stay as they are.

    Raises:
        SettingsError: If a key cannot be used.
    """

    def __init__(
        self, keys: Mapping[str, ApiKey], *, required: bool, read: ReadKeys | None = None
    ) -> None:
        self._required = required or bool(keys)
        self._read = read
        self._file = SETTINGS_FILE.absolute()  # not resolved: Kubernetes points a link elsewhere
        self._by_hash = _by_hash(keys)
        self._stamp = file_stamp(self._file)
        self._looked = time.monotonic()
        self._reading = asyncio.Lock()

    @property
    def is_required(self) -> bool:
        """Whether a key is needed."""
        return self._required

    async def find(self, key: str | None) -> Access:
        """Return what a key allows.

        Raises:
            ApiError: If one is needed and none is given, or it is not known.
        """
        if not self._required:
            return LOCAL
        if self._read is not None and time.monotonic() - self._looked > _LOOK_AGAIN_SECONDS:
            async with self._reading:
                await asyncio.to_thread(self._refresh, self._read)
        if not key:
            raise _unauthorized("no_key", "a key is needed", "send Authorization: Bearer KEY")
        found = self._by_hash.get(hash_key(key))
        if found is None:
            raise _unauthorized("wrong_key", "the key is not known", "ask the operator for one")
        return found

    def _refresh(self, read: ReadKeys) -> None:
        if time.monotonic() - self._looked <= _LOOK_AGAIN_SECONDS:
            return  # another request was first
        self._looked = time.monotonic()
        stamp = file_stamp(self._file)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._by_hash = _by_hash(read())
            _log.info("%d keys are in force", len(self._by_hash))
        except (HoptrailError, OSError) as error:
            _tell(f"warning: the keys stay as they were: {error}")


def _tell(line: str) -> None:
    """Print a line to stderr, where operators look: commands show no log of the server."""
    shown = "".join(mark if mark.isprintable() else " " for mark in line)
    print(shown, file=sys.stderr, flush=True)


def _by_hash(keys: Mapping[str, ApiKey]) -> dict[str, Access]:
    found: dict[str, Access] = {}
    for name, key in keys.items():
        check_name(name)
        if key.sha256 in found:
            raise SettingsError(f"keys {name!r} and {found[key.sha256].name!r} are the same")
        found[key.sha256] = access_of_rights(name, key)
    return found


def access_of_rights(name: str, rights: Rights) -> Access:
    """Return what the settings allow an asker.

    Raises:
        SettingsError: If the filter cannot be read.
    """
    return Access(
        name,
        None if rights.bases is None else frozenset(rights.bases),
        None if rights.presets is None else frozenset(rights.presets),
        None if rights.filter is None else parse_filter(rights.filter),
        rights.requests_per_minute,
        rights.usd_per_day,
        rights.writes,
        rights.reviews,
    )


def file_stamp(file: Path) -> tuple[int, int] | None:
    """Return what changes with a file's content; None where there is no file."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _unauthorized(code: str, message: str, hint: str) -> ApiError:
    return ApiError(401, code, message, hint=hint, headers={"WWW-Authenticate": "Bearer"})
