"""The connection to Milvus or Milvus Lite, and its errors as one line that says what to do."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from hoptrail.core.errors import StoreError
from hoptrail.core.optional import require
from hoptrail.core.text import clipped
from hoptrail.stores.milvus.address import MilvusAddress
from hoptrail.stores.milvus.rows import Row
from hoptrail.stores.milvus.schema import Field, IndexType, indexes_of, schema_of

if TYPE_CHECKING:
    from pymilvus import MilvusClient

T = TypeVar("T")
Consistency = Literal["Strong", "Session", "Bounded"]

LEAST_VERSION = (2, 3)
_KEYED_VERSION = (2, 4)  # upserts of 2.3 put rows into the partition of their primary key
_CONNECT_SECONDS = 10.0
# A channel of its own for each attempt: those that share one wait up to two minutes for the next.
_CHANNEL = {"grpc.use_local_subchannel_pool": 1}
_READ_SECONDS = 30.0
_NOT_LOADED = "collection not loaded"  # after a restart of the server, for some seconds
_LOADED_TOO_SOON = "index for loaded collection"
_WRITE_SECONDS = 120.0
_LONGEST_REASON = 300
_SEARCHES_AT_ONCE = 8
MOST_FOUND = 16_384  # topK of a search, and rows of a query


class Connection:
    """A database of a server, usable from any thread."""

    def __init__(self, address: MilvusAddress) -> None:
        """Connect and see whether the server can be used.

        Raises:
            MissingExtraError: If the client is not installed.
            StoreError: If the server does not answer, refuses the user, or is too old.
        """
        require("pymilvus", extra="milvus", purpose=f"the store {address}")
        if address.is_lite:
            require("milvus_lite", extra="milvus-lite", purpose=f"the store {address}")
        from pymilvus import MilvusClient

        # It logs every error with a traceback; what is wrong is told in one line.
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        self.address = address
        self._loaded: set[str] = set()
        self._client: MilvusClient | None = None
        self._client = self._run(
            lambda: MilvusClient(
                address.uri,
                token=address.token,
                db_name=address.database,
                timeout=_CONNECT_SECONDS,
                grpc_options=_CHANNEL,
            )
        )
        self._pool = ThreadPoolExecutor(_SEARCHES_AT_ONCE, thread_name_prefix="milvus")
        try:
            self._check_version()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the client; a second call does nothing."""
        client, self._client = self._client, None
        if client is not None:
            self._pool.shutdown()
            client.close()

    @cached_property
    def version(self) -> tuple[int, ...]:
        """The server's version, such as (2, 6, 4)."""
        told = self._run(lambda: self._open_client.get_server_version(timeout=_READ_SECONDS))
        return tuple(int(part) for part in re.findall(r"\d{1,9}", str(told))[:3])

    @property
    def has_partition_keys(self) -> bool:
        """Whether rows of a base can lie in a partition of their own."""
        return self.version >= _KEYED_VERSION

    def in_parallel(self, tasks: Sequence[Callable[[], T]]) -> list[T]:
        """Return the results of tasks that ask the server at the same time.

        Raises:
            StoreError: If one of them fails.
        """
        if len(tasks) <= 1:
            return [task() for task in tasks]
        waiting = [self._pool.submit(copy_context().run, task) for task in tasks]
        return [one.result() for one in waiting]

    def has(self, collection: str) -> bool:
        """Whether there is a collection of that name."""
        return bool(
            self._run(lambda: self._open_client.has_collection(collection, timeout=_READ_SECONDS))
        )

    def is_ready(self, collection: str) -> bool:
        """Whether there is a collection of that name; it can be searched then."""
        if collection not in self._loaded:
            if not self.has(collection):
                return False
            self.load(collection)
            self._loaded.add(collection)
        return True

    def describe(self, collection: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the fields of a collection by name, as the server tells them."""
        told: Any = self._run(
            lambda: self._open_client.describe_collection(collection, timeout=_READ_SECONDS)
        )
        return {field["name"]: field for field in told["fields"]}

    def create(self, collection: str, fields: Sequence[Field], index: IndexType) -> None:
        """Create a collection with its indexes and load it; one that is there stays.

        Raises:
            StoreError: If the server fails.
        """
        client = self._open_client
        keyed = self.has_partition_keys
        schema = schema_of(client, fields, has_partition_keys=keyed)
        kind: IndexType = "FLAT" if self.address.is_lite else index
        indexes = indexes_of(client, fields, kind, by="INVERTED" if keyed else "Trie")
        is_keyed = keyed and any(field.is_partition_key for field in fields)
        partitions: dict[str, Any] = {"num_partitions": 16} if is_keyed else {}
        try:
            self._run(
                lambda: client.create_collection(
                    collection,
                    schema=schema,
                    index_params=indexes,
                    consistency_level="Session",
                    timeout=_WRITE_SECONDS,
                    **partitions,
                )
            )
        except StoreError as error:
            if _LOADED_TOO_SOON not in error.message:
                raise
            self.load(collection)

    def load(self, collection: str) -> None:
        """See that a collection can be searched.

        Where two publishers made it at once, the one loaded it before the index of the other was
        there, and the server loads it no more until it is released.
        """
        client = self._open_client
        try:
            self._run(lambda: client.load_collection(collection, timeout=_WRITE_SECONDS))
        except StoreError as error:
            if _LOADED_TOO_SOON not in error.message:
                raise
            self._run(lambda: client.release_collection(collection, timeout=_WRITE_SECONDS))
            self._run(lambda: client.load_collection(collection, timeout=_WRITE_SECONDS))

    def drop(self, collection: str) -> None:
        """Drop a collection."""
        self._run(lambda: self._open_client.drop_collection(collection, timeout=_WRITE_SECONDS))

    def upsert(self, collection: str, rows: list[Row]) -> None:
        """Write rows in place of those with the same primary keys."""
        self._run(lambda: self._open_client.upsert(collection, rows, timeout=_WRITE_SECONDS))

    def delete(self, collection: str, condition: str) -> None:
        """Delete the rows for which a condition holds."""
        self._run(
            lambda: self._open_client.delete(collection, filter=condition, timeout=_WRITE_SECONDS)
        )

    def flush(self, collection: str) -> None:
        """Let the server seal what was written, so that its indexes are built."""
        self._run(lambda: self._open_client.flush(collection, timeout=_WRITE_SECONDS))

    def unindexed(self, collection: str) -> int:
        """Return how many rows wait for the index of their vectors."""
        told = self._run(
            lambda: self._open_client.describe_index(collection, "vector", timeout=_READ_SECONDS)
        )
        return int((told or {}).get("pending_index_rows", 0))

    def count(self, collection: str, condition: str) -> int:
        """Return for how many rows a condition holds, once all that was written is seen."""
        rows = self.query(collection, condition, ("count(*)",), "Strong")
        return int(rows[0]["count(*)"])

    def query(
        self,
        collection: str,
        condition: str,
        fields: Sequence[str],
        consistency: Consistency = "Bounded",
    ) -> list[Row]:
        """Return fields of the rows for which a condition holds."""
        found: Any = self._run(
            lambda: self._open_client.query(
                collection,
                filter=condition,
                output_fields=list(fields),
                consistency_level=consistency,
                timeout=_READ_SECONDS,
            )
        )
        return list(found)

    def search(
        self,
        collection: str,
        vectors: list[list[float]],
        most: int,
        condition: str,
        fields: Sequence[str],
    ) -> list[list[Row]]:
        """Return for each vector the nearest rows, best first: `distance` and `entity`."""
        found: Any = self._run(
            lambda: self._open_client.search(
                collection,
                data=vectors,
                anns_field="vector",
                filter=condition,
                limit=min(most, MOST_FOUND),
                output_fields=list(fields),
                search_params={"metric_type": "IP", "params": self._effort(most)},
                consistency_level="Bounded",
                timeout=_READ_SECONDS,
            )
        )
        return [list(one) for one in found]

    def _effort(self, most: int) -> Row:
        if self.address.index == "FLAT" or self.address.is_lite:
            return {}
        return {"ef": max(64, min(most, MOST_FOUND))}

    @property
    def _open_client(self) -> MilvusClient:
        if self._client is None:
            raise StoreError(f"the connection to {self.address} is closed", hint="open it again")
        return self._client

    def _run(self, work: Callable[[], T]) -> T:
        from grpc import RpcError
        from pymilvus.exceptions import MilvusException

        try:
            return work()
        except (MilvusException, RpcError, OSError, RuntimeError, ValueError) as error:
            raise store_error(error, self.address) from error

    def _check_version(self) -> None:
        if self.address.is_lite:
            return
        if self.version < LEAST_VERSION:
            found, least = (".".join(map(str, one)) for one in (self.version, LEAST_VERSION))
            raise StoreError(
                f"{self.address} runs Milvus {found}, and {least} is the least",
                hint="upgrade the server",
            )


def store_error(error: Exception, address: MilvusAddress) -> StoreError:
    """Return what a client's error means for the user, in one line and without credentials."""
    message = str(getattr(error, "message", "") or getattr(error, "details", "") or error)
    lowered = " ".join(_messages(error)).lower()
    if any(sign in lowered for sign in _REFUSED):
        return StoreError(
            f"{address} refuses the user",
            hint="check MILVUS_TOKEN, or MILVUS_USER and MILVUS_PASSWORD",
        )
    if address.is_lite and any(sign in lowered for sign in _IN_USE):
        return StoreError(
            f"{address} is in use by another process",
            hint="a file of Milvus Lite serves one process at a time; a server serves many",
        )
    if any(sign in lowered for sign in _LOST):
        return StoreError(
            f"{address} does not answer",
            hint="start the server or check the address, then try again; nothing is lost",
        )
    if _NOT_LOADED in lowered:
        return StoreError(f"{address} is still loading what it holds", hint="ask again in a minute")
    if "database not found" in lowered:
        return StoreError(f"{address} is no database of the server", hint="name another one")
    reason = clipped(" ".join(message.split()), _LONGEST_REASON)
    if address.token:
        reason = reason.replace(address.token, "...")
    return StoreError(f"{address}: {reason}", hint="see the server's log; nothing is lost")


def _messages(error: BaseException | None) -> Iterator[str]:
    """Yield what an error says, and those that it came of: why a connection failed say these.

    The client raises errors from themselves, so the chain may be a ring.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield str(error)
        error = error.__cause__ or error.__context__


_REFUSED = ("unauthenticated", "auth check failure", "permission deny", "permissiondenied")
_IN_USE = ("lock", "another process", "open local milvus failed")
_LOST = (
    "fail connecting",
    "failed to connect",
    "unavailable",
    "deadline exceeded",
    "retry run out",
    "connection refused",
    "illegal connection params",
    "server is not ready",
    "channel is closed",
    "closed channel",
    "connection lost",
    "timeout",
)
