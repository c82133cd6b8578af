"""The pointer of a base (which generation is shown, in which space), and its writer's lease.

One publisher writes a base at a time, whichever machine it runs on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from hoptrail.core.errors import FormatVersionError, StoreError
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.rows import Space
from hoptrail.stores.serving import (
    BaseDescription,
    is_gone,
    lost_lease,
    new_holder,
    refused_lease,
    used_here,
)

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

FORMAT = 1
_MOST_TIMES = 50
_LEASE_MILLISECONDS = 120_000


@dataclass(frozen=True, slots=True)
class Pointer:
    """The node `KnowledgeBase` of a base, but for its lease.

    Attributes:
        kb: The base's name on the server.
        generation: The one that is shown, None before the first.
        number: That of its space; the next space has the next number that was never used.
        staging: Number of a space that is being loaded.
        leaving: Number of the space whose public labels go to the present one.
        former: The generation of `leaving`.
        retired: For each space that is no longer shown: its number, and its successor's generation.
        times: Generations and when they came, milliseconds of the server's clock.
        base: What the base says of itself, None before the first generation.
        is_moving: Whether a change is being committed, as it was read.
    """

    kb: str
    generation: int | None = None
    number: int = 0
    staging: int | None = None
    leaving: int | None = None
    former: int | None = None
    retired: tuple[tuple[int, int], ...] = ()
    times: tuple[tuple[int, int], ...] = ()
    base: BaseDescription | None = None
    is_moving: bool = False

    @classmethod
    def read(cls, connection: Connection, kb: str) -> Self:
        """Return the pointer as it is, an empty one where the base was never published.

        Raises:
            FormatVersionError: If a newer Hoptrail published the base.
            StoreError: If the server fails.
        """
        rows = connection.read(statements.POINTER, kb=kb)
        found: Mapping[str, Any] = rows[0]["k"] if rows else {}
        if found.get("format", FORMAT) > FORMAT:
            raise FormatVersionError(
                f"{connection.address}: a newer Hoptrail published {kb}",
                hint="upgrade with: pip install -U hoptrail",
            )
        return cls(
            kb,
            found.get("generation"),
            found.get("number", 0),
            found.get("staging"),
            found.get("leaving"),
            found.get("former"),
            _pairs(found.get("retired")),
            _pairs(found.get("times")),
            _base(found) if "generation" in found else None,
            bool(rows and rows[0]["commits"]),
        )

    @property
    def space(self) -> Space:
        """The present space."""
        return Space.of(self.kb, self.number)

    def write(self, transaction: ManagedTransaction) -> None:
        """Make it so; readers see it with all else that the transaction wrote."""
        properties: dict[str, Any] = {
            "format": FORMAT,
            "generation": self.generation,
            "number": self.number,
            "space": self.space.prefix,
            "staging": self.staging,
            "leaving": self.leaving,
            "former": self.former,
            "retired": [value for pair in self.retired for value in pair] or None,
            "times": [value for pair in self.times for value in pair] or None,
        }
        if self.base is not None:
            properties |= {
                "records_id": self.base.records_id,
                "name": self.base.name,
                "description": self.base.description,
                "schema": json.dumps(dict(self.base.schema), ensure_ascii=False),
                "embedder": self.base.embedder,
                "dim": self.base.dim,
                "predicates": self.base.predicates,
                "counts": json.dumps(dict(self.base.counts)),
            }
        parameters = {"kb": self.kb, "properties": properties}
        transaction.run(statements.NOTE, parameters).consume()

    def turned_to(self, generation: int, base: BaseDescription, now: int) -> Pointer:
        """Return the pointer that shows a generation from now on."""
        times = (*self.times, (generation, now))[-_MOST_TIMES:]
        return replace(self, generation=generation, base=base, times=times)

    def outlived(self, before: int) -> int:
        """Return the last generation that another one followed before that time; 0 for none."""
        return max((number for number, came in self.times if came <= before), default=0)


def _pairs(flat: list[int] | None) -> tuple[tuple[int, int], ...]:
    values = flat or []
    return tuple(zip(values[::2], values[1::2], strict=True))


def _base(found: Mapping[str, Any]) -> BaseDescription:
    return BaseDescription(
        records_id=found["records_id"],
        name=found["name"],
        description=found["description"],
        schema=json.loads(found["schema"]),
        embedder=found["embedder"],
        dim=found["dim"],
        counts=json.loads(found.get("counts") or "{}"),
        predicates=found["predicates"],
    )


class Lease:
    """A lease on a base, taken on entering and given back on leaving.

    Its token grows with each holder, and every transaction of a writer checks it (`keep`): one that
    slept while another took over writes nothing more. A lease that is not kept ends after two
    minutes; one that was left on this machine, by a process that is no more or by this one when its
    server went away, can be taken at once.
    """

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb
        self._holder = new_holder()
        self._token = 0

    def __enter__(self) -> Self:
        """Take the lease.

        Raises:
            KnowledgeBaseLockedError: If another writer has it.
            StoreError: If the server fails.
        """
        # A writer that was killed may still get its lease: after the first look at who has it.
        token = self._take_from_gone() or self._take_from_gone()
        if token is None:
            raise refused_lease(self._connection.address, self._kb, self._holding())
        self._token = token
        used_here.add(self._holder)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        used_here.discard(self._holder)
        if not isinstance(error, StoreError):  # else there is no server to tell
            self._connection.writing(self._give_back)

    def keep(self, transaction: ManagedTransaction) -> None:
        """Renew it within a transaction, which then shuts out every other writer.

        Raises:
            KnowledgeBaseLockedError: If another writer took it meanwhile.
        """
        kept = transaction.run(statements.KEEP_LEASE, self._parameters(token=self._token)).single()
        if kept is None:
            raise lost_lease(self._connection.address, self._kb)

    def _take_from_gone(self) -> int | None:
        """Take it if it is free or who has it is gone; return the token."""
        former = self._holding()
        return self._take(former if former is not None and is_gone(former) else self._holder)

    def _take(self, former: str) -> int | None:
        """Take it if it is free or `former` has it; return the token."""

        def work(transaction: ManagedTransaction) -> int | None:
            parameters = self._parameters(holder=self._holder, former=former)
            row = transaction.run(statements.TAKE_LEASE, parameters).single()
            return None if row is None else int(row["token"])

        return self._connection.writing(work)

    def _give_back(self, transaction: ManagedTransaction) -> None:
        transaction.run(statements.GIVE_LEASE_BACK, self._parameters(token=self._token)).consume()

    def _holding(self) -> str | None:
        rows = self._connection.read(statements.POINTER, kb=self._kb)
        return rows[0]["k"].get("lease_holder") if rows else None

    def _parameters(self, **more: Any) -> dict[str, Any]:
        return {"kb": self._kb, "milliseconds": _LEASE_MILLISECONDS, **more}
