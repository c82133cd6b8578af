"""Reads the index folder of a Microsoft GraphRAG run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hoptrail.indexing.loading.left_out import table_file
from hoptrail.indexing.ms_graphrag.records import (
    COMMUNITIES,
    DOCUMENTS,
    ENTITIES,
    NODES,
    RELATIONSHIPS,
    REPORTS,
    TEXT_UNITS,
    GivenCommunity,
    GivenDocument,
    GivenEntity,
    GivenReport,
    Relationship,
    TextUnit,
    read_table,
)


@dataclass(frozen=True, slots=True)
class GivenIndex:
    """All that is imported of an index folder."""

    documents: list[GivenDocument]
    units: list[TextUnit]
    entities: list[GivenEntity]
    relationships: list[Relationship]
    communities: list[GivenCommunity]
    reports: list[GivenReport]

    @property
    def missing_names(self) -> set[str]:
        """The names that relationships use and the table of entities lacks."""
        known = {entity.name for entity in self.entities}
        usable = [one for one in self.relationships if one.is_usable]
        return {name for one in usable for name in (one.source, one.target)} - known


def read_index(folder: Path) -> GivenIndex:
    """Return the index of a folder: tables as Parquet or JSON Lines, of version 0.3 or later.

    An index without communities is one too.

    Raises:
        InputError: If a table or a column is missing, or a file cannot be read.
        MissingExtraError: If it is stored as Parquet and no reader is installed.
    """
    entities = [
        GivenEntity.of(row, i) for i, row in enumerate(read_table(folder, "entities", ENTITIES))
    ]
    has_communities = table_file(folder, "communities") or table_file(folder, "community_reports")
    return GivenIndex(
        documents=[GivenDocument.of(row) for row in read_table(folder, "documents", DOCUMENTS)],
        units=[
            TextUnit.of(row, i)
            for i, row in enumerate(read_table(folder, "text_units", TEXT_UNITS))
        ],
        entities=[entity for entity in entities if entity.name],
        relationships=[
            Relationship.of(row, i)
            for i, row in enumerate(read_table(folder, "relationships", RELATIONSHIPS))
        ],
        communities=_communities(folder, entities) if has_communities else [],
        reports=_reports(folder),
    )


def _reports(folder: Path) -> list[GivenReport]:
    if table_file(folder, "community_reports") is None:
        return []
    return [GivenReport.of(row) for row in read_table(folder, "community_reports", REPORTS)]


def _communities(folder: Path, entities: Sequence[GivenEntity]) -> list[GivenCommunity]:
    """Return the communities; early versions keep members elsewhere and no parents at all."""
    rows = read_table(folder, "communities", COMMUNITIES)
    found = [GivenCommunity.of(row) for row in rows]
    if rows and "entities" not in rows[0]:
        found = _with_members(folder, found, entities)
    if rows and "parent" not in rows[0]:
        found = _with_parents(found)
    return found


def _with_members(
    folder: Path, communities: Sequence[GivenCommunity], entities: Sequence[GivenEntity]
) -> list[GivenCommunity]:
    ids = {entity.name: entity.id for entity in entities}
    members: dict[str, dict[str, None]] = {}
    for row in read_table(folder, "nodes", NODES):
        entity_id = ids.get(str(row["name"]))
        if entity_id and row["community"] is not None:
            number = str(row["community"]).removesuffix(".0")
            members.setdefault(number, {}).setdefault(entity_id)
    return [replace(one, entities=tuple(members.get(str(one.number), ()))) for one in communities]


def _with_parents(communities: Sequence[GivenCommunity]) -> list[GivenCommunity]:
    """Return the communities with the one a level above that holds their members as parent."""
    holders = {(one.level, entity): one.number for one in communities for entity in one.entities}
    return [
        replace(one, parent=next((holders.get((one.level - 1, e)) for e in one.entities), None))
        for one in communities
    ]
