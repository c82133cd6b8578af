"""Writes the rows of a base into a space: the parts that a full load and a change share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hoptrail.core.types import Chunk, Community, Entity, Relation
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.batches import NODES_A_BATCH, SpaceWriter, batches
from hoptrail.stores.neo4j.names import MOST_TYPES
from hoptrail.stores.neo4j.rows import edge_row, is_told, node_rows, relation_row, vectors_of
from hoptrail.stores.protocols import ItemKind
from hoptrail.stores.records.embedded_text import text_hash
from hoptrail.stores.serving import BaseDescription, Rows

Row = dict[str, Any]


def write_nodes(
    writer: SpaceWriter, kind: ItemKind, rows: Rows, kb: str, statement: str, *, public: bool = True
) -> None:
    """Write items of a kind, but relations, with their vectors."""
    nodes = node_rows(kind, rows, kb)
    if not public:
        for node in nodes:
            del node["properties"]["id"]
    label = kind.capitalize()
    writer.write(statement % label, nodes, label=writer.space.label(kind))


def write_places(writer: SpaceWriter, chunks: Sequence[Chunk]) -> None:
    """Join chunks to their documents."""
    rows = [{"item_id": chunk.id, "doc_id": chunk.doc_id} for chunk in chunks]
    writer.write(statements.PUT_PLACES, rows)


def write_order(writer: SpaceWriter, doc_ids: Iterable[str]) -> None:
    """Number the chunks of documents and join each to the next."""
    for batch in batches(doc_ids, NODES_A_BATCH):
        writer.write(statements.DROP_ORDER, batch)
        writer.write(statements.PUT_ORDER, batch)


def mentions(entities: Sequence[Entity]) -> Iterator[Row]:
    """Yield each pair of entity and chunk."""
    for entity in entities:
        for chunk_id in entity.chunk_ids:
            yield {"owner": entity.id, "member": chunk_id}


def members(communities: Sequence[Community]) -> Iterator[Row]:
    """Yield each pair of a community and an entity that no child of it has."""
    for community in communities:
        for entity_id in community.entity_ids:
            yield {"owner": community.id, "member": entity_id}


def write_relations(writer: SpaceWriter, rows: Rows, kb: str, base: BaseDescription) -> None:
    """Write relations as relationships."""
    typed = base.predicates <= MOST_TYPES
    edges = [edge_row(relation, kb, typed=typed) for relation in rows.items]
    edges.sort(key=lambda edge: str(edge["target"]))  # both ends are locked
    writer.write(statements.CREATE_RELATIONS, edges)


def write_relation_nodes(
    writer: SpaceWriter, rows: Rows, kb: str, statement: str, known: set[str]
) -> None:
    """Write the nodes by which relations are found: one each, or one for all of a bare predicate.

    Args:
        writer: Writes.
        rows: Relations.
        kb: The base's name on the server.
        statement: Writes nodes.
        known: Bare predicates that were written; those that are new are added.
    """
    told = [place for place, relation in enumerate(rows.items) if is_told(relation)]
    some = Rows([rows.items[place] for place in told], rows.vectors[told])
    nodes = [
        _relation_node(relation, kb, vector)
        for relation, vector in zip(some.items, vectors_of(some), strict=True)
    ]
    writer.write(statement % "Relation", nodes, label=writer.space.label("relation"))
    new = {
        relation.predicate: place
        for place, relation in enumerate(rows.items)
        if not is_told(relation) and relation.predicate not in known
    }
    known.update(new)
    places = list(new.values())
    vectors = vectors_of(Rows([rows.items[place] for place in places], rows.vectors[places]))
    # The hash of a predicate is short enough for an index, as long as the predicate may be.
    predicates = [
        {"item_id": text_hash(one), "predicate": one, "vector": vector}
        for one, vector in zip(new, vectors, strict=True)
    ]
    writer.write(statements.PUT_PREDICATES, predicates)


def parents(communities: Sequence[Community]) -> list[Row]:
    """Return each community with the one above it, None for the coarsest."""
    return [{"item_id": one.id, "parent": one.parent} for one in communities]


def _relation_node(relation: Relation, kb: str, vector: list[float] | None) -> Row:
    properties = {"item_id": relation.id, "kb": kb, **relation_row(relation)}
    return {"item_id": relation.id, "labels": [], "properties": properties, "vector": vector}
