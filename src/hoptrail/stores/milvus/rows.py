"""Items with their vectors as rows of collections: primary keys and values."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.names import predicate_words
from hoptrail.core.types import Chunk, Community, Entity, Relation
from hoptrail.stores.milvus.expressions import storable
from hoptrail.stores.milvus.schema import LONGEST_TEXT
from hoptrail.stores.records.stored_values import entity_text
from hoptrail.stores.serving import Rows
from hoptrail.stores.vector_search import ServedKind, predicate_key

Row = dict[str, Any]

NEVER = 2**31 - 1
"""The value of `died` of a row that is not past."""
_MOST_BYTES = 8 << 20  # of a request; servers refuse those above 16 MB by default
_BESIDE_TEXT = 400  # bytes of the other fields


def primary_key(*parts: str | bytes | int) -> str:
    """Return the primary key of a row of what makes it another row: 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode(errors="replace")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()


def _chunk(chunk: Chunk) -> Row:
    return {"text": chunk.text, "doc_id": chunk.doc_id, "title": chunk.title}


def _entity(entity: Entity) -> Row:
    return {"text": entity_text(entity.name, entity.description)}


def _relation(relation: Relation) -> Row:
    ends = {"source": relation.source, "target": relation.target}
    return {"text": relation.text, "predicate": relation.predicate, **ends}


def _report(report: Community) -> Row:
    return {"text": f"{report.title}\n{report.summary}", "title": report.title}


_TEXTS: Mapping[ServedKind, Callable[[Any], Row]] = {
    "chunk": _chunk,
    "entity": _entity,
    "relation": _relation,
    "report": _report,
}


def rows_of(kind: ServedKind, rows: Rows) -> Iterator[Row]:
    """Yield the rows of the items that have a vector, without base and edition.

    Relations without a text share one row, that of their predicate, which comes once for each.
    """
    for item, vector in zip(rows.items, rows.vectors, strict=True):
        if not vector.any():
            continue
        if kind == "relation" and item.is_bare:
            key, row = _predicate(item)
        else:
            key, row = item.id, _TEXTS[kind](item)
        told = {name: _cut(text) for name, text in row.items()}
        yield {"item_id": _cut(key), **told, "vector": vector}


def _predicate(relation: Relation) -> tuple[str, Row]:
    text = predicate_words(relation.predicate)
    row = {"text": text, "predicate": relation.predicate, "source": "", "target": ""}
    return predicate_key(relation.predicate), row


def in_edition(row: Row, kind: ServedKind, kb: str, born: int) -> Row:
    """Return a row as one of a base that an edition is the first to show."""
    return {
        "pk": pk_of(row, kind, kb, born),
        "kb": kb,
        **row,
        "vector": np.asarray(row["vector"], dtype=np.float32),
        "born": born,
        "died": NEVER,
    }


def pk_of(row: Row, kind: ServedKind, kb: str, born: int) -> str:
    """Return the primary key: another one where anything of the row is another."""
    told = [str(row[name]) for name in sorted(row) if name != "vector"]
    vector: FloatArray = row["vector"]
    return primary_key(kb, kind, *told, vector.astype(np.float32).tobytes(), born)


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield lists of rows that a request has room for."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        weight = _BESIDE_TEXT + 4 * len(row["vector"])
        weight += sum(3 * len(value) for value in row.values() if isinstance(value, str))
        if batch and size + weight > _MOST_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += weight
    if batch:
        yield batch


def parts(values: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    """Yield runs of at most so many values."""
    for first in range(0, len(values), most):
        yield values[first : first + most]


def _cut(text: str) -> str:
    """Return a text as a field has room for it: other packages read it, Hoptrail the folder's."""
    kept = storable(text)
    if len(kept) * 3 <= LONGEST_TEXT:
        return kept
    return kept.encode()[:LONGEST_TEXT].decode(errors="ignore")
