"""The hierarchy of communities as arrays: which one an entity is in, and what lies above it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.stores.records.community_table import own_members, structure
from hoptrail.stores.snapshot.arrays import Arrays
from hoptrail.stores.snapshot.graph_index import RowMap, id_array, rows_of


@dataclass(frozen=True, slots=True)
class CommunityIndex:
    """One generation's communities; ids are sorted, a row is a place in them.

    Attributes:
        ids: Shape (n,).
        level: Shape (n,), 0 is the coarsest.
        parent: Row of each one's parent, shape (n,), -1 on level 0.
        of_entity: Row of the finest community of each entity, shape (entities,), -1 without one;
            entities are rows of the `GraphIndex` of the same generation.
    """

    ids: IdArray
    level: IntArray
    parent: IntArray
    of_entity: IntArray

    def rows(self, ids: Sequence[str] | IdArray) -> IntArray:
        """Return the rows of these community ids; -1 where unknown."""
        return rows_of(self.ids, ids)

    def cut(self, level: int) -> IntArray:
        """Return the rows of the communities that show everything at a level, in order.

        A community that is not divided further ends above the level and stands for its part.
        """
        divided = np.zeros(len(self.ids) + 1, dtype=np.bool_)  # the parent of level 0 is the last
        divided[self.parent] = True
        shown = (self.level == level) | ((self.level < level) & ~divided[:-1])
        return np.flatnonzero(shown).astype(np.int32)

    def raised(self, rows: IntArray, level: int) -> IntArray:
        """Return for each row the community above it, or itself, that is part of `cut(level)`."""
        levels = np.append(self.level, -1)  # that of row -1
        raised = np.array(rows, dtype=np.int32)
        while len(too_fine := np.flatnonzero(levels[raised] > level)):
            raised[too_fine] = self.parent[raised[too_fine]]
        return raised


def build_community_arrays(
    connection: sqlite3.Connection, entity_ids: IdArray
) -> dict[str, NDArray[Any]]:
    """Return the arrays by name, as `load_community_index` takes them; none without communities."""
    rows = structure(connection)
    if not rows:
        return {}
    ids, levels, parents, _, _ = zip(*rows, strict=True)
    known = id_array(ids)
    of_entity = np.full(len(entity_ids) + 1, -1, dtype=np.int32)  # an unknown entity is the last
    members = list(own_members(connection))
    owners = np.repeat(np.arange(len(members), dtype=np.int32), [len(own) for own in members])
    of_entity[rows_of(entity_ids, list(chain.from_iterable(members)))] = owners
    return {
        "community_ids": known,
        "community_level": np.array(levels, dtype=np.int32),
        "community_parent": rows_of(known, [parent or "" for parent in parents]),
        "community_of_entity": of_entity[:-1],
    }


def extend_community_arrays(
    connection: sqlite3.Connection, known: Arrays, entities: RowMap
) -> dict[str, NDArray[Any]]:
    """Do what `build_community_arrays` does, where communities are those of the last generation.

    Args:
        connection: The state to read.
        known: The arrays of the last generation.
        entities: Where the rows of entities go.
    """
    if "community_ids" not in known:
        return {}
    names = ("community_ids", "community_level", "community_parent")
    of_entity = entities.spread(known["community_of_entity"], -1)
    # A community keeps the place of an entity that is gone, should it come back.
    loose = entities.put[of_entity[entities.put] < 0]
    new = dict(zip(entities.ids[loose].tolist(), loose.tolist(), strict=True))
    for community, members in enumerate(own_members(connection) if new else ()):
        for id_ in new.keys() & members:
            of_entity[new[id_]] = community
    return {name: known[name] for name in names} | {"community_of_entity": of_entity}


def load_community_index(arrays: Arrays) -> CommunityIndex:
    """Return the index over loaded arrays; a base without communities has none of them."""
    if "community_ids" not in arrays:
        none = np.zeros(0, dtype=np.int32)
        unassigned = np.full(len(arrays["entity_ids"]), -1, dtype=np.int32)
        return CommunityIndex(id_array(()), none, none, unassigned)
    names = ("ids", "level", "parent", "of_entity")
    return CommunityIndex(*(arrays[f"community_{name}"] for name in names))
