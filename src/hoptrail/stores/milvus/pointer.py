"""The pointer of a base (which edition is shown, of which generation), and its writer's lease.

An edition is one publication. Rows bear the edition that first shows them (`born`) and the first
that does not (`died`); a base that is written anew as a whole raises the `floor` instead, below
which no row is shown.

One publisher writes a base at a time, whichever machine it runs on. Milvus can compare and set
nothing. So a publisher writes its name, waits until another that wrote at the same time would be
seen, and reads which name stands; it looks again before an edition is shown. The folder's own lock
keeps publishers of one folder apart; this is for copies of it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from hoptrail.core.errors import FormatVersionError, StoreError
from hoptrail.stores.milvus.connection import Connection
from hoptrail.stores.milvus.expressions import is_one_of
from hoptrail.stores.milvus.schema import BASES, fields_of_bases
from hoptrail.stores.serving import (
    BaseDescription,
    is_gone,
    lost_lease,
    new_holder,
    refused_lease,
    used_here,
)
from hoptrail.stores.vector_search import SERVED_KINDS, ServedKind

FORMAT = 1
_MOST_EDITIONS = 20
_LEASE_SECONDS = 120.0
_RENEW_SECONDS = 20.0
_SETTLE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Edition:
    """One publication of a base.

    Attributes:
        number: Grows with each.
        floor: The first edition whose rows it shows.
        generation: That of the folder.
        space: Fingerprint of the embedder, which names the collections.
        shown_since: Seconds since 1970, by the publisher's clock.
    """

    number: int
    floor: int
    generation: int
    space: str
    shown_since: float


@dataclass(frozen=True, slots=True)
class Pointer:
    """The record that a server has of a base.

    Attributes:
        kb: The base's name there.
        editions: The last ones, the present one last; none before the first.
        rows: How many rows the present one shows of each kind.
        base: What the base says of itself, None before the first edition.
    """

    kb: str
    editions: tuple[Edition, ...] = ()
    rows: Mapping[ServedKind, int] | None = None
    base: BaseDescription | None = None

    @classmethod
    def read(cls, connection: Connection, kb: str) -> Self:
        """Return the pointer as it is, an empty one where the base was never published.

        Raises:
            FormatVersionError: If a newer Hoptrail published the base.
            StoreError: If the server fails.
        """
        value = read_value(connection, _key(kb))
        if value is None:
            return cls(kb)
        found = json.loads(value)
        if found["format"] > FORMAT:
            raise FormatVersionError(
                f"{connection.address}: a newer Hoptrail published {kb}",
                hint="upgrade with: pip install -U hoptrail",
            )
        return cls(
            kb,
            tuple(Edition(*one) for one in found["editions"]),
            {kind: found["rows"][kind] for kind in SERVED_KINDS},
            BaseDescription(description="", schema={}, **found["base"]),
        )

    @property
    def present(self) -> Edition | None:
        """The edition that is shown."""
        return self.editions[-1] if self.editions else None

    def edition_of(self, generation: int) -> Edition | None:
        """Return the last edition of a generation that can still be read."""
        found = (one for one in reversed(self.editions) if one.generation == generation)
        return next(found, None)

    def turned_to(
        self, edition: Edition, base: BaseDescription, rows: Mapping[ServedKind, int]
    ) -> Pointer:
        """Return the pointer that shows an edition from now on."""
        editions = (*self.editions, edition)[-_MOST_EDITIONS:]
        return replace(self, editions=editions, base=base, rows=rows)

    def without_editions_before(self, first: Edition) -> Pointer:
        """Return the pointer that tells of no edition before one."""
        kept = tuple(one for one in self.editions if one.number >= first.number)
        return replace(self, editions=kept)

    def write(self, connection: Connection) -> None:
        """Make it so, at once."""
        if self.base is None:
            raise TypeError("a pointer without an edition is not written")
        base: dict[str, Any] = {
            "records_id": self.base.records_id,
            "name": self.base.name,
            "embedder": self.base.embedder,
            "dim": self.base.dim,
            "counts": dict(self.base.counts),
            "predicates": self.base.predicates,
        }
        editions = [
            [one.number, one.floor, one.generation, one.space, one.shown_since]
            for one in self.editions
        ]
        found = {"format": FORMAT, "editions": editions, "rows": self.rows, "base": base}
        write_value(connection, _key(self.kb), json.dumps(found))

    def forget(self, connection: Connection) -> None:
        """Take it from the server."""
        connection.delete(BASES, is_one_of("pk", [_key(self.kb)]))


def make_bases(connection: Connection) -> None:
    """See that there is a collection of bases."""
    if not connection.is_ready(BASES):
        connection.create(BASES, fields_of_bases(), "FLAT")


def read_value(connection: Connection, key: str) -> str | None:
    """Return the value of a key, None without one."""
    if not connection.is_ready(BASES):
        return None
    rows = connection.query(BASES, is_one_of("pk", [key]), ("value",), "Strong")
    return str(rows[0]["value"]) if rows else None


def write_value(connection: Connection, key: str, value: str) -> None:
    """Set the value of a key."""
    connection.upsert(BASES, [{"pk": key, "value": value, "vector": [0.0, 1.0]}])


def _key(kb: str) -> str:
    return f"base/{kb}"


class Lease:
    """A lease on a base, taken on entering and given back on leaving.

    One that is not kept ends after two minutes; one whose holder was on this machine and is no more
    can be taken at once.
    """

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb
        self._holder = new_holder()
        self._renewed = 0.0

    def __enter__(self) -> Self:
        """Take the lease.

        Raises:
            KnowledgeBaseLockedError: If another writer has it.
            StoreError: If the server fails.
        """
        holder, until = self._holding()
        if holder and until > time.time() and not is_gone(holder):
            raise refused_lease(self._connection.address, self._kb, holder)
        used_here.add(self._holder)
        try:
            self._renew()
            time.sleep(_SETTLE_SECONDS)
            holder, _ = self._holding()
            if holder != self._holder:
                raise refused_lease(self._connection.address, self._kb, holder)
        except BaseException:
            used_here.discard(self._holder)
            raise
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        used_here.discard(self._holder)
        if not isinstance(error, StoreError):  # else there is no server to tell
            self._connection.delete(BASES, is_one_of("pk", [self._key]))

    def keep(self, *, at_once: bool = False) -> None:
        """Renew it where that is due, or now.

        Raises:
            KnowledgeBaseLockedError: If another writer took it meanwhile.
        """
        if not at_once and time.monotonic() - self._renewed < _RENEW_SECONDS:
            return
        holder, _ = self._holding()
        if holder != self._holder:
            raise lost_lease(self._connection.address, self._kb)
        self._renew()

    @property
    def _key(self) -> str:
        return f"lease/{self._kb}"

    def _renew(self) -> None:
        value = json.dumps({"holder": self._holder, "until": time.time() + _LEASE_SECONDS})
        write_value(self._connection, self._key, value)
        self._renewed = time.monotonic()

    def _holding(self) -> tuple[str, float]:
        value = read_value(self._connection, self._key)
        if value is None:
            return "", 0.0
        found = json.loads(value)
        return found["holder"], found["until"]
