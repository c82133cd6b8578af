"""The collections of a base on Milvus: names, fields, schema and indexes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hoptrail.stores.vector_search import ServedKind

if TYPE_CHECKING:
    from pymilvus import CollectionSchema, MilvusClient
    from pymilvus.milvus_client.index import IndexParams

IndexType = Literal["FLAT", "HNSW"]

BASES = "hoptrail_bases"
"""The collection that tells which edition of each base is shown, and who writes it."""
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


def schema_of(
    client: MilvusClient, fields: Sequence[Field], *, has_partition_keys: bool
) -> CollectionSchema:
    """Return the schema of a collection with these fields, as the client takes it."""
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    for field in fields:
        options: dict[str, Any] = {}
        if field.dim:
            options["dim"] = field.dim
        elif field.length:
            options["max_length"] = field.length
        schema.add_field(
            field.name,
            DataType[field.type],
            is_primary=field.is_primary,
            is_partition_key=field.is_partition_key and has_partition_keys,
            **options,
        )
    return schema


def indexes_of(
    client: MilvusClient, fields: Sequence[Field], kind: IndexType, *, by: str
) -> IndexParams:
    """Return the indexes of a collection: that of vectors, and `by` for what is looked up."""
    indexes = client.prepare_index_params()
    build = {"M": 16, "efConstruction": 200} if kind == "HNSW" else {}
    indexes.add_index("vector", index_type=kind, metric_type="IP", params=build)
    for field in fields:
        if field.is_looked_up:
            indexes.add_index(field.name, index_type=by)
    return indexes
