"""Loads a space: with all of a base, anew, or with what changed since it was shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hoptrail.core.progress import Progress
from hoptrail.core.types import Relation
from hoptrail.stores.neo4j import statements
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.pointer import Lease
from hoptrail.stores.neo4j.rows import Space, public_labels
from hoptrail.stores.neo4j.space_writer import (
    EDGES_A_BATCH,
    NODES_A_BATCH,
    SpaceWriter,
    await_indexes,
    drop_schema,
    make_keys,
    make_searches,
    members,
    mentions,
    parents,
    write_nodes,
    write_order,
    write_places,
    write_relation_nodes,
    write_relations,
)
from hoptrail.stores.protocols import ITEM_KINDS, ItemKind
from hoptrail.stores.serving import Change, Rows

Row = dict[str, Any]

STAGE = "publish"
_NODE_KINDS: tuple[ItemKind, ...] = ("document", "chunk", "entity", "community")


class FullLoad:
    """Loads a space that nobody reads yet.

    Args:
        connection: To the server.
        lease: The writer's.
        kb: The base's name on the server.
        space: The new space, empty.
        change: All items of the base.
        public: Whether rows bear their public labels from the first: no other space has them.
    """

    def __init__(
        self,
        connection: Connection,
        lease: Lease,
        kb: str,
        space: Space,
        change: Change,
        *,
        public: bool,
    ) -> None:
        self._connection = connection
        self._lease = lease
        self._kb = kb
        self._space = space
        self._change = change
        self._public = public
        self._create = statements.CREATE_PUBLIC_NODES if public else statements.CREATE_NODES
        self._predicates: set[str] = set()
        self._parents: list[dict[str, Any]] = []
        written = {"kb": kb, "born": change.generation}
        self._writer = SpaceWriter(connection, lease, space, written)

    def run(self, progress: Progress) -> None:
        """Write all rows, make the indexes and wait until they can be searched."""
        make_keys(self._connection, self._space)
        progress.start(STAGE, sum(self._change.counts(kind)[0] for kind in ITEM_KINDS))
        for kind in ITEM_KINDS:
            size = EDGES_A_BATCH if kind == "relation" else NODES_A_BATCH
            for rows in self._change.put(kind, size):
                self._write(kind, rows)
                progress.advance(STAGE, len(rows.items))
        progress.finish(STAGE)
        self._writer.write_all(statements.PUT_PARENTS, self._parents)
        for page in pages(self._writer, "document"):
            write_order(self._writer, [row["item_id"] for row in page])
        self._set_degrees()
        make_searches(self._connection, self._space, self._change.base.dim)
        await_indexes(self._connection, self._lease, self._space)

    def _write(self, kind: ItemKind, rows: Rows) -> None:
        if kind == "relation":
            write_relations(self._writer, rows, self._kb, self._change.base)
            create = statements.CREATE_NODES
            write_relation_nodes(self._writer, rows, self._kb, create, self._predicates)
            return
        write_nodes(self._writer, kind, rows, self._kb, self._create, public=self._public)
        if kind == "chunk":
            write_places(self._writer, rows.items)
        elif kind == "entity":
            self._writer.write_all(statements.PUT_MENTIONS, mentions(rows.items))
        elif kind == "community":
            self._writer.write_all(statements.PUT_MEMBERS, members(rows.items))
            self._parents += parents(rows.items)

    def _set_degrees(self) -> None:
        after: str | None = ""
        while after is not None:
            statement = statements.SET_DEGREES_OF_PAGE
            [done] = self._writer.write(statement, after=after, limit=EDGES_A_BATCH)
            after = done["last"]


def pages(writer: SpaceWriter, kind: ItemKind) -> Iterator[list[dict[str, Any]]]:
    """Yield own id and type of all rows of a kind, by id."""
    after = ""
    statement = statements.PAGE % kind.capitalize()
    while page := writer.write(statement, after=after, limit=EDGES_A_BATCH):
        yield page
        after = page[-1]["item_id"]


def turn_public_labels(
    connection: Connection, lease: Lease, kb: str, former: Space, present: Space
) -> None:
    """Take the public labels and ids from one space and give them to another, page by page.

    It may be stopped and done again. Meanwhile other tools see some rows of either.
    """
    leaving = SpaceWriter(connection, lease, former, {"kb": kb})
    coming = SpaceWriter(connection, lease, present, {"kb": kb})
    for kind in _NODE_KINDS:
        after = ""
        label = kind.capitalize()
        hide, show = statements.HIDE_PAGE % label, statements.SHOW_PAGE % label
        for page in pages(coming, kind):
            upto = page[-1]["item_id"]
            leaving.write(hide, after=after, upto=upto, label=former.label(kind))
            rows = [
                {"item_id": row["item_id"], "labels": public_labels(kind, row["type"] or "")}
                for row in page
            ]
            coming.write(show, rows)
            after = upto
        leaving.write(hide, after=after, upto=None, label=former.label(kind))


def drop_space(connection: Connection, lease: Lease, kb: str, space: Space) -> None:
    """Drop all rows, constraints and indexes of a space."""
    writer = SpaceWriter(connection, lease, space, {"kb": kb})
    drop_schema(connection, space)  # first: rows need not be taken out of indexes then
    for label in ("Entity", "Chunk"):
        writer.repeat(statements.DROP_EDGES % label)
    for label in ("Document", "Chunk", "Entity", "Relation", "Predicate", "Community"):
        writer.repeat(statements.DROP_NODES % label)


@dataclass(frozen=True, slots=True)
class _Pairing:
    """The statements for edges between owners and their members."""

    present: str
    put: str
    delete: str


_MENTIONS = _Pairing(statements.MENTIONS, statements.PUT_MENTIONS, statements.DELETE_MENTIONS)
_MEMBERS = _Pairing(statements.MEMBERS, statements.PUT_MEMBERS, statements.DELETE_MEMBERS)


class Increment:
    """Applies a change to the present space.

    Args:
        writer: Writes in the transaction that the change is made in.
        kb: The base's name on the server.
        change: What changed.
    """

    def __init__(self, writer: SpaceWriter, kb: str, change: Change) -> None:
        self._writer = writer
        self._kb = kb
        self._change = change
        self._documents: set[str] = set()
        self._ends: set[str] = set()  # entities whose degree may be another
        self._parents: list[Row] = []

    def run(self, progress: Progress) -> None:
        """Write all of the change."""
        progress.start(STAGE, sum(sum(self._change.counts(kind)) for kind in ITEM_KINDS))
        for ids in self._change.gone("relation", EDGES_A_BATCH):
            self._delete_relations(ids)
            progress.advance(STAGE, len(ids))
        for kind in ITEM_KINDS:
            for rows in self._change.put(kind, NODES_A_BATCH):
                self._put(kind, rows)
                progress.advance(STAGE, len(rows.items))
        for kind in reversed(_NODE_KINDS):
            for ids in self._change.gone(kind, NODES_A_BATCH):
                self._writer.write(statements.DELETE_NODES % kind.capitalize(), ids)
                progress.advance(STAGE, len(ids))
        self._writer.write_all(statements.PUT_PARENTS, self._parents)
        write_order(self._writer, sorted(self._documents))
        self._writer.write_all(statements.SET_DEGREES, sorted(self._ends))
        progress.finish(STAGE)

    def _put(self, kind: ItemKind, rows: Rows) -> None:
        if kind == "relation":
            self._put_relations(rows)
            return
        ids = [item.id for item in rows.items]
        write_nodes(self._writer, kind, rows, self._kb, statements.PUT_NODES)
        if kind == "chunk":
            write_places(self._writer, rows.items)
            self._documents.update(chunk.doc_id for chunk in rows.items)
        elif kind == "entity":
            self._put_pairs(ids, mentions(rows.items), _MENTIONS)
            self._ends.update(ids)
        elif kind == "community":
            self._put_pairs(ids, members(rows.items), _MEMBERS)
            self._parents += parents(rows.items)

    def _put_pairs(self, owners: list[str], wanted: Iterable[Row], edges: _Pairing) -> None:
        """Give owners exactly the wanted members: write what is new, delete what is gone."""
        found = self._writer.write(edges.present, owners)
        present = {(row["owner"], row["member"]) for row in found}
        needed = {(row["owner"], row["member"]) for row in wanted}
        for statement, pairs in ((edges.put, needed - present), (edges.delete, present - needed)):
            rows = ({"owner": owner, "member": member} for owner, member in sorted(pairs))
            self._writer.write_all(statement, rows)

    def _put_relations(self, rows: Rows) -> None:
        relations: Sequence[Relation] = rows.items
        ends = [
            {"item_id": one.id, "source": one.source, "target": one.target} for one in relations
        ]
        self._delete_between(ends)
        write_relations(self._writer, rows, self._kb, self._change.base)
        write_relation_nodes(self._writer, rows, self._kb, statements.PUT_NODES, set())

    def _delete_relations(self, ids: list[str]) -> None:
        """Delete relations of which the ids alone are known."""
        ends = self._writer.write(statements.RELATION_ENDS, ids)
        self._delete_between(ends)
        known = {row["item_id"] for row in ends}
        bare = [id_ for id_ in ids if id_ not in known]
        for statement in (
            statements.DELETE_GENERIC_RELATIONS,
            statements.DELETE_TYPED_RELATIONS,
        ):
            found = self._writer.write(statement, bare)
            self._ends.update(row[end] for row in found for end in ("source", "target"))
            deleted = {row["item_id"] for row in found}
            bare = [id_ for id_ in bare if id_ not in deleted]

    def _delete_between(self, ends: list[Row]) -> None:
        """Delete relations between known ends, with the nodes by which they are found."""
        self._writer.write(statements.DELETE_RELATIONS, ends)
        ids = [row["item_id"] for row in ends]
        self._writer.write(statements.DELETE_NODES % "Relation", ids)
        self._ends.update(row[end] for row in ends for end in ("source", "target"))
