"""Items by id, as a server shows them at the moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Community, Document, Entity, Relation
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.rows import (
    LONGEST_NAME,
    Space,
    chunk_of,
    community_of,
    entity_of,
    quote_lucene,
    relation_of,
)
from hoptrail.stores.neo4j.statements import in_space
from hoptrail.stores.records.document_table import document_of
from hoptrail.stores.records.tables import batches

T = TypeVar("T", Document, Chunk, Entity, Relation, Community)

_IDS_A_STATEMENT = 5_000
_NAMES_A_STATEMENT = 500  # Lucene takes 1,024 in a query


class LiveStore:
    """The `GraphStore` of a published base.

    Args:
        connection: To the server.
        kb: The base's name there.
        space: Gives the present space.
        is_typed: Tells whether relations have a type each, or share one.
    """

    def __init__(
        self,
        connection: Connection,
        kb: str,
        space: Callable[[], Space],
        is_typed: Callable[[], bool],
    ) -> None:
        self._connection = connection
        self._kb = kb
        self._space = space
        self._is_typed = is_typed

    def documents(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents of these ids, in their order, unknown ids left out."""
        return self._by_id(statements.DOCUMENTS, ids, document_of)

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks of these ids, in their order, unknown ids left out."""
        return self._by_id(statements.CHUNKS, ids, chunk_of)

    def passages_of(self, doc_ids: Sequence[str]) -> list[Chunk]:
        """Return all chunks of these documents, by document in their order, then by place."""
        wanted = list(map(str, dict.fromkeys(doc_ids)))
        statement = statements.CHUNKS_OF_DOCUMENTS
        chunks = [chunk_of(row) for row in self._rows(statement, ids=wanted, kb=self._kb)]
        order = {doc_id: at for at, doc_id in enumerate(wanted)}
        return sorted(chunks, key=lambda chunk: (order[chunk.doc_id], chunk.start))

    def entities(self, ids: Sequence[str]) -> list[Entity]:
        """Return the entities of these ids, in their order, unknown ids left out."""
        return self._by_id(statements.ENTITIES, ids, entity_of)

    def relations(self, ids: Sequence[str]) -> list[Relation]:
        """Return the relations of these ids, with end point names, in order, unknown left out."""
        plain = [str(id_) for id_ in ids]
        told = self._by_id(statements.TOLD_RELATIONS, plain, relation_of)
        found = {relation.id: relation for relation in told}
        bare = [id_ for id_ in plain if id_ not in found]
        for statement in self._bare_relations():
            some = self._by_id(statement, bare, relation_of)
            found |= {relation.id: relation for relation in some}
            bare = [id_ for id_ in bare if id_ not in found]
        return [found[id_] for id_ in plain if id_ in found]

    def communities(self, ids: Sequence[str], *, members: bool = True) -> list[Community]:
        """Return the communities of these ids, with reports and members, unknown left out."""

        def build(row: list[Any]) -> Community:
            return community_of(row[0], tuple(sorted(row[1])) if members else ())

        return self._by_id(statements.COMMUNITIES, ids, build)

    def find_entities(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the ids of the entities whose name or alias has the same `name_key`, by name."""
        keys = {name: name_key(name)[:LONGEST_NAME] for name in names}
        found: dict[str, list[str]] = {}
        for some in batches(filter(None, dict.fromkeys(keys.values())), _NAMES_A_STATEMENT):
            for id_, own in self._rows(statements.NAMES, names=names_query(some)):
                for key in own:
                    found.setdefault(key, []).append(id_)
        return {name: tuple(sorted(found[key])) for name, key in keys.items() if key in found}

    def match_entities(self, text: str, limit: int) -> list[str]:
        """Return the ids of the entities with a name or alias that holds the text, best first.

        Equal names come first, then those that begin with it, then the shortest. All names are
        looked at.
        """
        statement = in_space(statements.MATCHES, self._space())
        found = self._connection.read(statement, key=name_key(text), most=limit)
        return [row["row"] for row in found]

    def _bare_relations(self) -> tuple[str, ...]:
        """Return what finds relations without a text; with a type each, all are looked at."""
        generic = statements.GENERIC_RELATIONS
        return (generic, statements.TYPED_RELATIONS) if self._is_typed() else (generic,)

    def _by_id(
        self, statement: str, ids: Sequence[str], build: Callable[[list[Any]], T]
    ) -> list[T]:
        plain = [str(id_) for id_ in ids]
        found: dict[str, T] = {}
        for some in batches(dict.fromkeys(plain), _IDS_A_STATEMENT):
            items = (build(row) for row in self._rows(statement, ids=some, kb=self._kb))
            found.update((item.id, item) for item in items)
        return [found[id_] for id_ in plain if id_ in found]

    def _rows(self, statement: str, **parameters: object) -> Iterator[list[Any]]:
        found = self._connection.read(in_space(statement, self._space()), **parameters)
        return (row["row"] for row in found)


def names_query(keys: Iterable[str]) -> str:
    """Return the full-text query for entities that have one of these keys, "" for none."""
    return " OR ".join(quote_lucene(key[:LONGEST_NAME]) for key in keys if key)
