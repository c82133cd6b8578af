"""The hierarchy of communities, their reports, and what a later clustering goes on from.

A report is found by the content hash (`key`) of the community that it tells about, so one that was
made once serves again whenever a community has that content. The members of a community are those
of its children and the ones that its own row lists: each entity is stored once, however deep the
hierarchy is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.types import Community, Finding, NodeUsage, Record
from hoptrail.stores.records.graph_table import replace_rows
from hoptrail.stores.records.tables import Row, has_table, mark_changed, read_meta, write_meta

_SOUGHT_AT_ONCE = 32  # entities
_STALE = "communities_stale"
_JOINED = """SELECT c.id, c.level, c.parent, c.size,
    r.title, r.summary, r.rating, r.rating_reason, r.findings
    FROM communities c LEFT JOIN community_reports r ON r.key = c.key"""
_LEVELS = """SELECT c.level, count(*), count(r.key), sum(c.stale)
    FROM communities c LEFT JOIN community_reports r ON r.key = c.key
    GROUP BY c.level ORDER BY c.level"""
_STRUCTURE = "SELECT id, level, parent, size, key FROM communities ORDER BY id"
_MEMBERS = """WITH RECURSIVE below (id) AS (
    SELECT ? UNION ALL SELECT c.id FROM communities c JOIN below b ON c.parent = b.id)
    SELECT members FROM communities JOIN below USING (id)"""
_REPORT_TEXTS = """SELECT ifnull(r.title || char(10) || r.summary, '')
    FROM communities c LEFT JOIN community_reports r ON r.key = c.key ORDER BY c.id"""
_SEPARATOR = "\0"


@dataclass(frozen=True, slots=True)
class CommunityLevel(Record):
    """How many communities a level has, how many with a report, and how many are out of date."""

    level: int
    communities: int
    reported: int
    stale: int


def replace_communities(
    connection: sqlite3.Connection, communities: Sequence[Community], keys: Mapping[str, str]
) -> bool:
    """Make these the hierarchy, none of them stale; return whether that changed anything.

    `entity_ids` of a community with children may be left out.
    """
    put_stale(connection, (), stale=False)
    ordered = sorted(communities, key=lambda community: community.id)
    structure = [
        (c.id, c.level, c.parent, c.size or len(c.entity_ids), keys[c.id]) for c in ordered
    ]
    if structure == list(_rows(connection, _STRUCTURE)):
        return False
    rows = (
        (*row[:5], 0, "\0".join(own).encode())
        for row, own in zip(structure, _own_members(ordered), strict=True)
    )
    replace_rows(connection, "communities", ("id",), rows)
    return True


def put_report(
    connection: sqlite3.Connection, key: str, report: Community, *, maker: str, usage: NodeUsage
) -> None:
    """Store a report under its community's content hash, in place of an earlier one.

    Args:
        connection: Writes the base.
        key: From `community_keys`.
        report: Title, summary, rating and findings are kept.
        maker: What made it; `report_keys` tells the reports of one maker.
        usage: What it took.
    """
    findings = json.dumps([finding.to_json() for finding in report.findings], ensure_ascii=False)
    texts = (report.title, report.summary, report.rating_reason, findings)
    # A model can write half a surrogate pair, which no UTF-8 file can hold.
    title, summary, reason, found = (text.encode(errors="replace").decode() for text in texts)
    spent = (usage.llm_calls, usage.prompt_tokens, usage.completion_tokens)
    values = (key, maker, title, summary, report.rating, reason, found, *spent)
    connection.execute(
        "INSERT OR REPLACE INTO community_reports VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, usage.seconds, usage.usd),
    )
    mark_changed(connection)


def rename_keys(connection: sqlite3.Connection, keys: Mapping[str, str]) -> None:
    """Give communities and their reports other keys, by community id."""
    for id_, key in keys.items():
        connection.execute(
            """UPDATE OR REPLACE community_reports SET key = ?
            WHERE key = (SELECT key FROM communities WHERE id = ?)""",
            (key, id_),
        )
        connection.execute("UPDATE communities SET key = ? WHERE id = ?", (key, id_))


def report_keys(connection: sqlite3.Connection, maker: str | None = None) -> set[str]:
    """Return the content hashes that have a report, of one maker or any."""
    query = "SELECT key FROM community_reports WHERE ?1 IS NULL OR maker = ?1"
    return {row[0] for row in _rows(connection, query, (maker,))}


def prune_reports(connection: sqlite3.Connection, maker: str | None = None) -> int:
    """Delete the reports whose key no community bears, and a maker's, and return how many."""
    return connection.execute(
        "DELETE FROM community_reports WHERE maker = ? OR key NOT IN (SELECT key FROM communities)",
        (maker,),
    ).rowcount


def list_communities(connection: sqlite3.Connection, level: int | None = None) -> list[Community]:
    """Return the communities of a level or all, with reports, without members; by level and id."""
    if level is None:
        rows = _rows(connection, f"{_JOINED} ORDER BY c.level, c.id")
    else:
        rows = _rows(connection, f"{_JOINED} WHERE c.level = ? ORDER BY c.id", (level,))
    return [_community(row) for row in rows]


def communities_by_id(
    connection: sqlite3.Connection, ids: Iterable[str], *, members: bool = True
) -> list[Community]:
    """Return the communities of these ids with reports, unknown ids left out.

    Args:
        connection: To the base.
        ids: In any order, which the result keeps.
        members: Whether to read `entity_ids`.
    """
    return [
        _community(row, tuple(sorted(_members(connection, row[0]))) if members else ())
        for id_ in ids
        for row in _rows(connection, f"{_JOINED} WHERE c.id = ?", (str(id_),))
    ]


def community_levels(connection: sqlite3.Connection) -> list[CommunityLevel]:
    """Return the levels, the coarsest first."""
    return [CommunityLevel(*row) for row in _rows(connection, _LEVELS)]


def community_keys(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the content hash of each community, which its report is stored under, by id."""
    return dict(_rows(connection, "SELECT id, key FROM communities ORDER BY id"))


def hierarchy(connection: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    """Return the ids of the children by the parent's id, in order; those without one under ""."""
    children: dict[str, list[str]] = {}
    for id_, parent in _rows(connection, "SELECT id, parent FROM communities ORDER BY id"):
        children.setdefault(parent or "", []).append(id_)
    return {parent: tuple(ids) for parent, ids in children.items()}


def own_members(connection: sqlite3.Connection) -> Iterator[list[str]]:
    """Yield the members of each community that no child of it holds, in order of ids."""
    for (members,) in _rows(connection, "SELECT members FROM communities ORDER BY id"):
        yield _split(members)


def own_members_with(
    connection: sqlite3.Connection, entity_ids: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield id and own members, as `own_members` does, of communities that may have an entity.

    These are all that have one, and maybe others.
    """
    query, values = "SELECT id, members FROM communities", [one.encode() for one in entity_ids]
    if len(values) <= _SOUGHT_AT_ONCE:  # SQLite looks into bytes sooner than they are taken apart
        query += f" WHERE {' OR '.join(['instr(members, ?)'] * len(values)) or '0'}"
    else:
        values = []
    for id_, members in _rows(connection, query, values):
        yield id_, _split(members)


def own_members_of(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, list[str]]:
    """Return by id the members of these communities that no child of them holds."""
    query = "SELECT members FROM communities WHERE id = ?"
    return {id_: _split(row[0]) for id_ in ids for row in _rows(connection, query, (id_,))}


def structure(connection: sqlite3.Connection) -> list[Row]:
    """Return `(id, level, parent, size, key)` of each community, in order of ids."""
    return list(_rows(connection, _STRUCTURE))


def report_texts(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield title and summary of each community, "" without a report, in order of ids."""
    return (row[0] for row in _rows(connection, _REPORT_TEXTS))


def mark_stale(connection: sqlite3.Connection) -> None:
    """Note that the graph changed since the hierarchy was made, where there is one."""
    if next(_rows(connection, "SELECT 1 FROM communities LIMIT 1"), None) is not None:
        write_meta(connection, _STALE, "1")


def put_stale(
    connection: sqlite3.Connection, ids: Iterable[str], *, stale: bool, further: bool = False
) -> None:
    """Note which communities have other members or relations now, and whether anything is stale.

    A new entity may make the hierarchy stale and no community of it. With `further`, those that
    were noted before stay so.
    """
    write_meta(connection, _STALE, str(int(stale)))
    if not further:
        connection.execute("UPDATE communities SET stale = 0 WHERE stale")
    connection.executemany("UPDATE communities SET stale = 1 WHERE id = ?", ((id_,) for id_ in ids))


def is_stale(connection: sqlite3.Connection) -> bool:
    """Return whether the graph changed since the hierarchy was made."""
    return read_meta(connection, _STALE) == "1"


def _own_members(communities: Sequence[Community]) -> Iterator[list[str]]:
    """Yield the members of each community that none below it has."""
    children: dict[str | None, list[Community]] = {}
    for community in communities:
        children.setdefault(community.parent, []).append(community)

    def below(id_: str) -> Iterator[str]:
        for child in children.get(id_, ()):
            yield from child.entity_ids
            yield from below(child.id)

    for community in communities:
        own = set(community.entity_ids)
        yield sorted(own.difference(below(community.id)) if own else own)


def _members(connection: sqlite3.Connection, id_: str) -> Iterator[str]:
    for (members,) in _rows(connection, _MEMBERS, (id_,)):
        yield from _split(members)


def _split(members: bytes) -> list[str]:
    return members.decode().split("\0") if members else []


def _community(row: Row, entity_ids: tuple[str, ...] = ()) -> Community:
    id_, level, parent, size, title, summary, rating, reason, findings = row
    return Community(
        id_,
        level,
        title or "",
        summary or "",
        rating or 0.0,
        reason or "",
        tuple(Finding.from_json(finding) for finding in json.loads(findings or "[]")),
        parent,
        size,
        entity_ids,
    )


def _rows(
    connection: sqlite3.Connection, query: str, values: Sequence[object] = ()
) -> Iterator[Row]:
    """Yield the rows of a query; none in a base of a format that has no communities."""
    if has_table(connection, "communities"):
        yield from connection.execute(query, values)


@dataclass(frozen=True, slots=True)
class ClusteringRecord:
    """A tree of clusters; an entity that is gone keeps its place, should it come back.

    Attributes:
        content: Hash of the graph and the communities that were made of it.
        seed: Seed of the clustering.
        entity_ids: Shape (n,).
        cluster_of: Finest cluster of each entity, shape (n,), -1 for one that is left out until
            its degree changes.
        degrees: Degree of each entity when the whole graph was clustered, shape (n,); 0 if it
            came later.
        parent: Cluster that each cluster is part of, shape (clusters,), -1 on the coarsest level.
        whole_up_to: How many entities each cluster may have undivided, shape (clusters,).
        least: Fewest entities of a community.
    """

    content: str
    seed: int
    entity_ids: list[str]
    cluster_of: IntArray
    degrees: FloatArray
    parent: IntArray
    whole_up_to: IntArray
    least: int


def put_clustering(connection: sqlite3.Connection, record: ClusteringRecord) -> None:
    """Store the record in place of an earlier one."""
    choices = {"content": record.content, "seed": record.seed, "least": record.least}
    parts = {
        "choices": json.dumps(choices).encode(),
        "entity_ids": _SEPARATOR.join(record.entity_ids).encode(),
        "cluster_of": _bytes(record.cluster_of, "<i4"),
        "degrees": _bytes(record.degrees, "<f4"),
        "parent": _bytes(record.parent, "<i4"),
        "whole_up_to": _bytes(record.whole_up_to, "<i4"),
    }
    connection.executemany("INSERT OR REPLACE INTO clustering VALUES (?, ?)", parts.items())


def read_clustering(connection: sqlite3.Connection) -> ClusteringRecord | None:
    """Return what the next clustering goes on from, None where there is nothing."""
    parts = dict(connection.execute("SELECT part, value FROM clustering"))
    if not parts:
        return None
    choices = json.loads(parts["choices"])
    ids = parts["entity_ids"].decode()
    return ClusteringRecord(
        choices["content"],
        choices["seed"],
        ids.split(_SEPARATOR) if ids else [],
        np.frombuffer(parts["cluster_of"], dtype="<i4"),
        np.frombuffer(parts["degrees"], dtype="<f4"),
        np.frombuffer(parts["parent"], dtype="<i4"),
        np.frombuffer(parts["whole_up_to"], dtype="<i4"),
        choices["least"],
    )


def drop_clustering(connection: sqlite3.Connection) -> None:
    """Forget the record."""
    connection.execute("DELETE FROM clustering")


def _bytes(array: NDArray[np.generic], dtype: str) -> bytes:
    return np.ascontiguousarray(array, dtype=dtype).tobytes()
