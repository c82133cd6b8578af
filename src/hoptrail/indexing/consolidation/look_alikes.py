"""Groups of entities that may be one thing under several names.

Source: Moore et al., "DotRAG: retrieval-time reasoning along paths", preparation of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Entity
from hoptrail.indexing.resolution.entity_types import type_family

SIMILARITY = 0.6
"""Least cosine of two entities of one group, as in the source."""

_MOST_IN_GROUP = 8
_NEVER_ALIKE = frozenset({"time", "number"})  # 1976 is near 1977 and never the same
_ROWS_AT_ONCE = 512


def group_look_alikes(
    entities: Sequence[Entity],
    vectors: FloatArray,
    may_join: Callable[[Entity, Entity], bool] = lambda _one, _other: True,
    similarity: float = SIMILARITY,
) -> list[list[Entity]]:
    """Return disjoint groups, each led by its best attested entity, in the order of the leaders.

    Greedy: the entity with most passages takes the nearest entities that are free and near enough,
    then the next one does. Types of different families are never grouped, nor dates and numbers.

    Args:
        entities: All of them.
        vectors: Their unit vectors, shape (n, dim); a row of zeros is near to nothing.
        may_join: Whether a pair of leader and other still is to be considered.
        similarity: Least cosine to the leader.
    """
    families = [type_family(entity.type) for entity in entities]
    order = sorted(
        (place for place, family in enumerate(families) if family not in _NEVER_ALIKE),
        key=lambda place: (-len(entities[place].chunk_ids), entities[place].id),
    )
    is_free = np.zeros(len(entities), dtype=bool)
    is_free[order] = True
    groups: list[list[Entity]] = []
    for start in range(0, len(order), _ROWS_AT_ONCE):
        leaders = order[start : start + _ROWS_AT_ONCE]
        cosines = np.round(vectors[leaders] @ vectors.T, 5)
        for leader, row in zip(leaders, cosines, strict=True):
            if not is_free[leader]:
                continue
            is_free[leader] = False
            near = np.flatnonzero((row >= similarity) & is_free)
            others = (
                place
                for place in near[np.argsort(-row[near], kind="stable")].tolist()
                if _agree(families[leader], families[place])
                and may_join(entities[leader], entities[place])
            )
            group = list(islice(others, _MOST_IN_GROUP - 1))
            if group:
                is_free[group] = False
                groups.append([entities[leader], *(entities[place] for place in group)])
    return groups


def _agree(one: str, other: str) -> bool:
    return one == other or not one or not other
