"""Gathers what the reports on the communities of one level are written from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from hoptrail.agents.community_reports.report_statements import ReportMaterial
from hoptrail.core.embedding import IntArray
from hoptrail.core.types import Community, Entity, Relation
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.snapshot.graph_index import CommunityIndex, GraphIndex

_BATCH = 64
_PASSAGES_OF_RELATION = 2
_PASSAGES = 80
_COMMON_SHARE = 0.1  # of the passages; a word in more of them tells little
_FEW_PASSAGES = 20


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_Identified)


@dataclass(frozen=True, slots=True)
class _Inside:
    """The relations inside each community of a level.

    `order` lists relation rows by community and importance; those of community row `c` stand at
    `starts[c]` to `starts[c + 1]`. `child` is the row of the part that a relation lies inside of,
    -1 for none, and `degree` that of each entity inside its community.
    """

    order: IntArray
    starts: IntArray
    child: IntArray
    degree: IntArray


class LevelMaterials:
    """The material of the communities of one level.

    Args:
        kb: The knowledge base; its published graph is read.
        index: The hierarchy; entities are rows of that graph.
        level: Which level.
        most_relations: Relations of a community that are loaded, the most important ones.
    """

    def __init__(
        self, kb: KnowledgeBase, index: CommunityIndex, level: int, *, most_relations: int
    ) -> None:
        self._kb = kb
        self._graph = kb.index
        self._index = index
        self._most_relations = most_relations
        self._inside = _relations_inside(self._graph, index, level)
        self._common_words = _common_words(kb)

    def relation_count(self, community: Community) -> int:
        """Return the number of relations inside a community of the level."""
        start, end = self._bounds(int(self._index.rows([community.id])[0]))
        return end - start

    def of(
        self, communities: Sequence[Community], reports: Mapping[str, Sequence[Community]]
    ) -> Iterator[ReportMaterial]:
        """Yield the material of each community of the level, in their order.

        Args:
            communities: Without members.
            reports: The parts that have a report, by the id of the community.
        """
        for start in range(0, len(communities), _BATCH):
            yield from self._gather(communities[start : start + _BATCH], reports)

    def _gather(
        self, communities: Sequence[Community], reports: Mapping[str, Sequence[Community]]
    ) -> Iterator[ReportMaterial]:
        rows = self._index.rows([community.id for community in communities])
        bounds = [self._bounds(int(row)) for row in rows]
        chosen = [
            self._inside.order[start : min(end, start + self._most_relations)]
            for start, end in bounds
        ]
        ids = self._graph.relation_ids
        store = self._kb.store
        relations = _by_id(store.relations, (str(ids[row]) for rows in chosen for row in rows))
        ends = (end for r in relations.values() for end in (r.source, r.target))
        entities = _by_id(store.entities, ends)
        passages = [_passages(relations[str(ids[row])] for row in rows) for rows in chosen]
        chunks = _by_id(store.chunks, (id_ for some in passages for id_ in some))
        for community, (start, end), some, of_chunks in zip(
            communities, bounds, chosen, passages, strict=True
        ):
            yield ReportMaterial(
                community,
                self._entities(some, entities),
                tuple(relations[str(ids[row])] for row in some),
                tuple(chunks[id_] for id_ in of_chunks if id_ in chunks),
                tuple(sorted(reports.get(community.id, ()), key=lambda c: (-c.size, c.id))),
                self._child_of(some),
                end - start,
                len(ids),
                self._common_words,
            )

    def _bounds(self, row: int) -> tuple[int, int]:
        return int(self._inside.starts[row]), int(self._inside.starts[row + 1])

    def _entities(self, rows: IntArray, loaded: Mapping[str, Entity]) -> tuple[Entity, ...]:
        graph = self._graph
        ends = np.unique(np.concatenate((graph.relation_source[rows], graph.relation_target[rows])))
        ends = ends[np.argsort(-self._inside.degree[ends], kind="stable")]
        return tuple(loaded[str(id_)] for id_ in graph.entity_ids[ends])

    def _child_of(self, rows: IntArray) -> dict[str, str]:
        children = self._inside.child[rows]
        inside = children >= 0
        parts = self._index.ids[children[inside]]
        ids = self._graph.relation_ids[rows[inside]]
        return {str(id_): str(part) for id_, part in zip(ids, parts, strict=True)}


def _relations_inside(graph: GraphIndex, index: CommunityIndex, level: int) -> _Inside:
    source, target = graph.relation_source, graph.relation_target
    own, child = (_level_rows(index, index.of_entity, at) for at in (level, level + 1))
    community = np.where(own[source] == own[target], own[source], -1)
    part = np.where(child[source] == child[target], child[source], -1)
    degree = np.diff(graph.entity_relations.indptr)
    combined = degree[source] + degree[target]
    order = np.lexsort((np.arange(len(source)), -combined, community)).astype(np.int32)
    starts = np.searchsorted(community[order], np.arange(len(index.ids) + 1)).astype(np.int32)
    kept = np.flatnonzero(community >= 0)
    ends = np.concatenate((source[kept], target[kept]))
    inside = np.bincount(ends, minlength=len(graph.entity_ids)).astype(np.int32)
    return _Inside(order, starts, part.astype(np.int32), inside)


def _level_rows(index: CommunityIndex, rows: IntArray, level: int) -> IntArray:
    """Return the community of exactly this level that each one is part of, -1 for none."""
    raised = index.raised(rows, level)
    levels = np.append(index.level, -1)  # that of row -1
    return np.where(levels[raised] == level, raised, -1).astype(np.int32)


def _passages(relations: Iterable[Relation]) -> list[str]:
    found = dict.fromkeys(
        id_ for relation in relations for id_ in relation.chunk_ids[:_PASSAGES_OF_RELATION]
    )
    return list(found)[:_PASSAGES]


def _by_id(load: Callable[[Sequence[str]], list[T]], ids: Iterable[str]) -> dict[str, T]:
    return {item.id: item for item in load(sorted(set(ids)))}


def _common_words(kb: KnowledgeBase) -> frozenset[str]:
    """Return the words that stand in a large share of all passages."""
    lexicon = kb.lexicon
    passages = max(len(kb.index.chunk_ids), _FEW_PASSAGES)
    frequency = np.diff(lexicon.word_chunks.indptr)
    return frozenset(map(str, lexicon.words[frequency > _COMMON_SHARE * passages]))
