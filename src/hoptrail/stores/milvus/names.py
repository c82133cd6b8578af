"""Names of collections and fields, and primary keys."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from hoptrail.stores.vector_search import ServedKind

BASES = "hoptrail_bases"
"""The collection that tells which edition of each base is shown, and who writes it."""
NEVER = 2**31 - 1
"""The value of `died` of a row that is not past."""
LONGEST_TEXT = 65_535  # bytes of a VARCHAR
_PLURALS: dict[ServedKind, str] = {
    "chunk": "chunks",
    "entity": "entities",
    "relation": "relations",
    "report": "reports",
}
_BESIDE: dict[ServedKind, tuple[str, ...]] = {
    "chunk": ("doc_id", "title"),
    "entity": (),
    "relation": ("source", "predicate", "target"),
    "report": ("title",),
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a collection.

    Attributes:
        name: Its name.
        type: A `DataType` of the client.
        length: Most bytes of a text.
        dim: Length of a vector.
        is_primary: Whether it is the primary key.
        is_partition_key: Whether it tells the partition.
        is_looked_up: Whether rows are found by it.
    """

    name: str
    type: Literal["VARCHAR", "INT64", "FLOAT_VECTOR"] = "VARCHAR"
    length: int = LONGEST_TEXT
    dim: int = 0
    is_primary: bool = False
    is_partition_key: bool = False
    is_looked_up: bool = False


def space_of(embedder: str, dim: int) -> str:
    """Return the fingerprint of an embedder, which the names of its collections end with."""
    return hashlib.sha256(f"{embedder}\n{dim}".encode()).hexdigest()[:8]


def collection_of(kind: ServedKind, space: str) -> str:
    """Return the collection of a kind of items, with the vectors of one embedder."""
    return f"hoptrail_{_PLURALS[kind]}_{space}"


def fields_of(kind: ServedKind, dim: int) -> list[Field]:
    """Return the fields of such a collection; `pk`, `text` and `vector` are LangChain's names."""
    return [
        Field("pk", length=32, is_primary=True),
        Field("kb", is_partition_key=True),
        Field("item_id", is_looked_up=True),
        Field("text"),
        *(Field(name) for name in _BESIDE[kind]),
        Field("born", "INT64"),
        Field("died", "INT64"),
        Field("vector", "FLOAT_VECTOR", dim=dim),
    ]


def fields_of_bases() -> list[Field]:
    """Return the fields of the collection of bases; a collection cannot be without a vector."""
    return [
        Field("pk", length=LONGEST_TEXT, is_primary=True),
        Field("value"),
        Field("vector", "FLOAT_VECTOR", dim=2),
    ]


def primary_key(*parts: str | bytes | int) -> str:
    """Return the primary key of a row of what makes it another row: 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode(errors="replace")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()
