"""The writer's lease: one publisher a base at a time, whichever machine it runs on.

Milvus can compare and set nothing. So a publisher writes its name, waits until another that wrote
at the same time would be seen, and reads which name stands; it looks again before an edition is
shown. The folder's own lock keeps publishers of one folder apart; this is for copies of it.
"""

from __future__ import annotations

import json
import time
from types import TracebackType
from typing import Self

from hoptrail.core.errors import KnowledgeBaseLockedError, StoreError
from hoptrail.stores.holder import is_gone, new_holder, used_here
from hoptrail.stores.milvus.connection import Connection
from hoptrail.stores.milvus.expressions import is_one_of
from hoptrail.stores.milvus.names import BASES
from hoptrail.stores.milvus.pointer import read_value, write_value

_LEASE_SECONDS = 120.0
_RENEW_SECONDS = 20.0
_SETTLE_SECONDS = 0.5


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
            raise self._refused(holder)
        used_here.add(self._holder)
        try:
            self._renew()
            time.sleep(_SETTLE_SECONDS)
            holder, _ = self._holding()
            if holder != self._holder:
                raise self._refused(holder)
        except BaseException:
            used_here.discard(self._holder)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
            raise KnowledgeBaseLockedError(
                f"{self._connection.address}: another writer took over {self._kb}",
                hint="this one had been silent for two minutes; publish again when it is done",
            )
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

    def _refused(self, holder: str) -> KnowledgeBaseLockedError:
        host, process, *_ = (holder or "another machine::").split(":")
        return KnowledgeBaseLockedError(
            f"{self._connection.address}: {self._kb} is being published by process {process} "
            f"on {host}",
            hint="wait until it is done; one that was killed is waited for two minutes",
        )
