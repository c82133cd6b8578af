"""The pointer of a base: which generation the server shows, in which space, and what is past."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from hoptrail.core.errors import FormatVersionError
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.names import Space
from hoptrail.stores.serving import BaseDescription

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

FORMAT = 1
_MOST_TIMES = 50


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
