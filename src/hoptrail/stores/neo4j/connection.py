"""One driver a process and server, and the driver's errors as one line that says what to do."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from hoptrail.core.budget import current_meter
from hoptrail.core.errors import SettingsError, StoreError
from hoptrail.core.optional import require
from hoptrail.core.text import clipped
from hoptrail.stores.serving import split_address

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction, Result, Transaction

T = TypeVar("T")
Row = dict[str, Any]

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
LEAST_VERSION = (5, 26)
_CONNECT_SECONDS = 10.0
_RETRY_SECONDS = 10.0
_LIFETIME_SECONDS = 3000.0  # below the hour after which balancers cut idle connections
_IDLE_SECONDS = 60.0
_LAST_SECONDS = 5.0  # for what ends a question whose time is over
_LONGEST_REASON = 300


class UnansweredError(StoreError):
    """The server is not there or says nothing, as several tries or the question's time showed."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Which database of which server, and who asks; printed without the password.

    Attributes:
        uri: Scheme, host and port, as the driver takes them.
        database: Its name, None for the user's home database.
        user: Name of the user.
        password: The user's password.
    """

    uri: str
    database: str | None
    user: str
    password: str

    def __repr__(self) -> str:
        return f"ServerAddress({str(self)!r})"

    def __str__(self) -> str:
        return self.uri if self.database is None else f"{self.uri}/{self.database}"

    @classmethod
    def parse(cls, url: str) -> ServerAddress:
        """Return the address of `neo4j://host:port/database`; who asks, says the environment.

        `NEO4J_USERNAME` (else "neo4j") and `NEO4J_PASSWORD` are the driver's own conventions.

        Raises:
            SettingsError: If it is no such URL, or no password is set.
        """
        parts = split_address(
            url,
            "Neo4j",
            schemes=SCHEMES,
            example="neo4j://host:7687/database",
            variables="NEO4J_USERNAME and NEO4J_PASSWORD",
        )
        database = parts.path.strip("/") or os.environ.get("NEO4J_DATABASE") or None
        password = os.environ.get("NEO4J_PASSWORD")
        if password is None:
            raise SettingsError(
                f"{parts.scheme}://{parts.netloc} needs a password", hint="set NEO4J_PASSWORD"
            )
        user = os.environ.get("NEO4J_USERNAME", "neo4j")
        return cls(f"{parts.scheme}://{parts.netloc}", database, user, password)


def run(
    transaction: ManagedTransaction | Transaction,
    statement: str,
    parameters: Mapping[str, Any] | None = None,
) -> Result:
    """Run a statement whose text holds the prefix of a space: no literal, as the driver wants it.

    Values are given as parameters alone; a prefix is made of letters, digits and underscores.
    """
    return transaction.run(cast(Any, statement), dict(parameters or {}))


class Connection:
    """A database of a server, usable from any thread; the driver below is shared and kept."""

    def __init__(self, address: ServerAddress) -> None:
        """Connect and see whether the server can be used.

        Raises:
            MissingExtraError: If the driver is not installed.
            StoreError: If the server does not answer, refuses the user, or is too old.
        """
        require("neo4j", extra="neo4j", purpose=f"the store {address}")
        self.address = address
        with self._translated():
            self._driver = _DRIVERS.take(address)
        try:
            self._check_version()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the driver back; a second call does nothing."""
        driver, self._driver = getattr(self, "_driver", None), None  # type: ignore[assignment]
        if driver is not None:
            _DRIVERS.give_back(self.address)

    @cached_property
    def version(self) -> tuple[int, ...]:
        """The server's version, such as (5, 26, 30)."""
        rows = self.read("CALL dbms.components() YIELD name, versions RETURN name, versions")
        kernel = next((row["versions"][0] for row in rows if "Kernel" in row["name"]), "0")
        return tuple(int(part) for part in re.findall(r"\d{1,9}", kernel)[:3])

    def read(self, statement: str, **parameters: object) -> list[Row]:
        """Return the rows of a statement that reads, in a transaction of its own.

        Raises:
            StoreError: If the server fails.
        """
        return self.reading(lambda transaction: run(transaction, statement, parameters).data())

    def rows(self, statement: str, **parameters: object) -> list[list[Any]]:
        """Return the rows of a statement that reads as lists of values, all sent at once.

        A vector in a list is an array, for as a list it takes eight times the memory.

        Raises:
            StoreError: If the server fails.
        """
        return self.made_of_rows(
            lambda row: [_compact(value) for value in row], statement, parameters
        )

    def made_of_rows(
        self, make: Callable[[list[Any]], T], statement: str, parameters: Mapping[str, Any]
    ) -> list[T]:
        """Return what is made of each row of a statement that reads, as soon as it is sent.

        Rows may come again from the first, where the transaction has to be tried again.

        Raises:
            StoreError: If the server fails.
        """

        def work(transaction: ManagedTransaction) -> list[T]:
            return [make(record.values()) for record in run(transaction, statement, parameters)]

        return self.reading(work)

    def reading(self, work: Callable[[ManagedTransaction], T]) -> T:
        """Do some reading in one transaction; it may be tried again.

        A question that is answered meanwhile keeps its time, if the server falls silent.

        Raises:
            StoreError: If the server fails, or does not answer in the question's time.
        """

        def read() -> T:
            with self._session() as session:
                result: T = session.execute_read(work)
                return result

        meter = current_meter()
        left = None if meter is None else meter.limits.remaining_seconds()
        with self._translated():
            if left is None:
                return read()
            try:
                return _within(max(left, _LAST_SECONDS), read)
            except TimeoutError:
                raise UnansweredError(
                    f"{self.address} did not answer in the time of the question",
                    hint="see whether the server and the line to it are up; `max_seconds` is the "
                    "time of a question",
                ) from None

    def reading_once(self, work: Callable[[Transaction], T], *, seconds: float) -> T:
        """Do some reading in one transaction that is not tried again.

        Args:
            work: What to do.
            seconds: After so many the server ends it.

        Raises:
            StoreError: If the server fails, or ends it.
        """
        with (
            self._translated(),
            self._session(default_access_mode="READ") as session,
            session.begin_transaction(timeout=seconds) as transaction,
        ):
            return work(transaction)

    def writing(self, work: Callable[[ManagedTransaction], T]) -> T:
        """Do some work in one transaction: all of it or nothing; it may be tried again.

        Raises:
            StoreError: If the server fails.
        """
        with self._translated(), self._session() as session:
            result: T = session.execute_write(work)
            return result

    def _session(self, **options: Any) -> Any:
        if self._driver is None:
            raise StoreError(f"the connection to {self.address} is closed", hint="open it again")
        # Rows come in one piece: each further one would be a round trip.
        return self._driver.session(database=self.address.database, fetch_size=-1, **options)

    def _check_version(self) -> None:
        require_version(self.version, self.address)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            yield
        except (Neo4jError, DriverError, OSError) as error:
            raise store_error(error, self.address) from error


def _compact(value: Any) -> Any:
    if isinstance(value, list):
        for place, inner in enumerate(value):
            if isinstance(inner, list) and inner and isinstance(inner[0], float):
                value[place] = np.array(inner, dtype=np.float32)
    return value


def _within(seconds: float, work: Callable[[], T]) -> T:
    """Return what some work returns; what takes longer is left to itself.

    Raises:
        TimeoutError: If it takes longer.
    """
    done: Future[T] = Future()

    def run_() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run_, name="hoptrail-neo4j", daemon=True).start()
    return done.result(seconds)


def require_version(found: tuple[int, ...], address: ServerAddress) -> None:
    """Make sure that a server is new enough.

    Raises:
        StoreError: If it is older than `LEAST_VERSION`.
    """
    if found < LEAST_VERSION:
        version, least = (".".join(map(str, one)) for one in (found, LEAST_VERSION))
        raise StoreError(
            f"{address} runs Neo4j {version}, and {least} is the least", hint="upgrade the server"
        )


def store_error(error: Exception, address: ServerAddress) -> StoreError:
    """Return what a driver's error means for the user, in one line and without credentials."""
    code = str(getattr(error, "code", "") or "")
    name = type(error).__name__
    if "Unauthorized" in code or "AuthenticationRateLimit" in code or name == "AuthError":
        return StoreError(
            f"{address} refuses the user {address.user!r}",
            hint="check NEO4J_USERNAME and NEO4J_PASSWORD",
        )
    if "DatabaseNotFound" in code:
        return StoreError(
            f"{address.uri} has no database {address.database!r}",
            hint="name another one in the URL; the Community Edition has one, neo4j",
        )
    if "Forbidden" in code:
        return StoreError(
            f"{address} does not let the user {address.user!r} do this",
            hint="publishing needs the rights to write and to make indexes",
        )
    if name in _LOST:
        return UnansweredError(
            f"{address} does not answer",
            hint="start the server or check the address, then try again; nothing is lost",
        )
    if "OutOfMemory" in code:
        return StoreError(
            f"{address} has too little memory for this",
            hint="raise server.memory.heap.max_size or dbms.memory.transaction.total.max",
        )
    reason = clipped(str(getattr(error, "message", "") or error), _LONGEST_REASON)
    index = _INDEX.search(reason)
    if index is not None:
        return StoreError(
            f"{address}: the index {index[1]} is not there or is still being filled",
            hint="hoptrail publish makes it anew and waits until it is filled",
        )
    return StoreError(
        f"{address}: {reason}", hint="see the server's log, neo4j.log; nothing is lost"
    )


_INDEX = re.compile(r"\b(?:no such \w+ schema )?index:? ['`]?(\w+_\d+_\w+)", re.IGNORECASE)
_LOST = frozenset(
    {
        "ServiceUnavailable",
        "SessionExpired",
        "ReadServiceUnavailable",
        "WriteServiceUnavailable",
        "IncompleteCommit",
        "ConnectionAcquisitionTimeoutError",
        "TimeoutError",
        "gaierror",
        "ConnectionRefusedError",
        "ConnectionResetError",
        "BrokenPipeError",
        "OSError",
    }
)


class _Drivers:
    """The drivers of this process: each server has one, whoever uses it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[int, str, str, str], tuple[Driver, int]] = {}

    def take(self, address: ServerAddress) -> Driver:
        """Return the server's driver; a new one has been seen to work."""
        key = _key(address)
        with self._lock:
            driver, users = self._known.get(key, (None, 0))
            if driver is None:
                driver = _open(address)
            self._known[key] = (driver, users + 1)
            return driver

    def give_back(self, address: ServerAddress) -> None:
        """Close the driver with its last user."""
        key = _key(address)
        with self._lock:
            driver, users = self._known.pop(key)
            if users > 1:
                self._known[key] = (driver, users - 1)
            else:
                driver.close()


def _key(address: ServerAddress) -> tuple[int, str, str, str]:
    return os.getpid(), address.uri, address.user, address.password  # a fork has its own


def _open(address: ServerAddress) -> Driver:
    from neo4j import GraphDatabase, NotificationMinimumSeverity

    options: Mapping[str, Any] = {
        "connection_timeout": _CONNECT_SECONDS,
        "connection_acquisition_timeout": 2 * _CONNECT_SECONDS,
        "max_transaction_retry_time": _RETRY_SECONDS,
        "max_connection_lifetime": _LIFETIME_SECONDS,
        "liveness_check_timeout": _IDLE_SECONDS,
        "notifications_min_severity": NotificationMinimumSeverity.OFF,
        "user_agent": "hoptrail",
    }
    driver = GraphDatabase.driver(address.uri, auth=(address.user, address.password), **options)
    try:
        driver.verify_connectivity()  # at once, where a transaction would try again and again
    except BaseException:
        driver.close()
        raise
    return driver


_DRIVERS = _Drivers()
