"""The writer's lease: one publisher a base at a time, whichever machine it runs on."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hoptrail.core.errors import KnowledgeBaseLockedError, StoreError
from hoptrail.stores.holder import is_gone, new_holder, used_here
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_LEASE_MILLISECONDS = 120_000


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
            host, process, *_ = (self._holding() or "another machine::").split(":")
            raise KnowledgeBaseLockedError(
                f"{self._connection.address}: {self._kb} is being published by process {process} "
                f"on {host}",
                hint="wait until it is done; one that was killed is waited for two minutes",
            )
        self._token = token
        used_here.add(self._holder)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
            raise KnowledgeBaseLockedError(
                f"{self._connection.address}: another writer took over {self._kb}",
                hint="this one had been silent for two minutes; publish again when it is done",
            )

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
