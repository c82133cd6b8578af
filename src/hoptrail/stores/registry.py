"""Stores by the scheme of their address: Neo4j, Milvus, and those that installed packages add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from hoptrail.core.errors import SettingsError
from hoptrail.core.plugins import STORE_GROUP, VECTOR_STORE_GROUP, Registry
from hoptrail.stores.milvus import address as milvus
from hoptrail.stores.neo4j.connection import SCHEMES
from hoptrail.stores.serving import ServingStore, VectorStore


@dataclass(frozen=True, slots=True)
class StoreBackend:
    """A kind of server that bases are published to.

    Attributes:
        name: Its name in the registry.
        schemes: Of the addresses that it opens, such as `neo4j` and `neo4j+s`.
        open: Gets the address and the name of the base there, and returns the store; raises
            `StoreError` in one line where it cannot be used.
    """

    name: str
    schemes: frozenset[str]
    open: Callable[[str, str], ServingStore]


@dataclass(frozen=True, slots=True)
class VectorBackend:
    """A kind of server that vectors are published to.

    Attributes:
        name: Its name in the registry.
        schemes: Of the addresses that it opens; "" stands for paths.
        open: Gets the address and the name of the base there, and returns the store; raises
            `StoreError` in one line where it cannot be used.
    """

    name: str
    schemes: frozenset[str]
    open: Callable[[str, str], VectorStore]


Backend = TypeVar("Backend", StoreBackend, VectorBackend)


def _open_neo4j(address: str, base: str) -> ServingStore:
    from hoptrail.stores.neo4j.store import Neo4jStore

    return Neo4jStore.open(address, base)


def _open_milvus(address: str, base: str) -> VectorStore:
    from hoptrail.stores.milvus.store import MilvusStore

    return MilvusStore.open(address, base)


STORES: Registry[StoreBackend] = Registry(
    {"neo4j": StoreBackend("neo4j", frozenset(SCHEMES), _open_neo4j)},
    kind="store",
    group=STORE_GROUP,
    name_of=lambda value: value.name if isinstance(value, StoreBackend) else None,
    expected="a StoreBackend",
)

VECTOR_STORES: Registry[VectorBackend] = Registry(
    {"milvus": VectorBackend("milvus", frozenset({*milvus.SCHEMES, ""}), _open_milvus)},
    kind="vector store",
    group=VECTOR_STORE_GROUP,
    name_of=lambda value: value.name if isinstance(value, VectorBackend) else None,
    expected="a VectorBackend",
)


def open_store(address: str, base: str) -> ServingStore:
    """Return the store at an address.

    Args:
        address: Such as `neo4j://host:7687/database`; credentials stand in the environment.
        base: The name of the base there.

    Raises:
        SettingsError: If no store has such addresses, or it carries a password.
        StoreError: If the store cannot be used.
    """
    return _backend_of(address, STORES).open(address, base)


def open_vector_store(address: str, base: str) -> VectorStore:
    """Return the store of vectors at an address.

    Args:
        address: Such as `http://host:19530`, or a path; credentials stand in the environment.
        base: The name of the base there.

    Raises:
        SettingsError: If no store has such addresses, or it carries a password.
        StoreError: If the store cannot be used.
    """
    return _backend_of(address, VECTOR_STORES).open(address, base)


def _backend_of(address: str, registry: Registry[Backend]) -> Backend:
    parts = urlsplit(address) if "://" in address else urlsplit("")
    if parts.username or parts.password:
        raise SettingsError(
            "the address of a store carries a user name or password",
            hint="put them into the environment; docs/servers.md says under which names",
        )
    for backend in registry.values():
        if parts.scheme in backend.schemes:
            return backend
    known = sorted(scheme for one in registry.values() for scheme in one.schemes if scheme)
    raise SettingsError(
        f"no store has addresses like {address!r}",
        hint=f"known: {', '.join(f'{scheme}://' for scheme in known) or 'none'}",
    )
