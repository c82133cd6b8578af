"""Parts and paths of the graph: the region that a search works on, paths of the same steps.

Rows of the whole graph are kept ascending (int32), and the small graph of a region numbers nodes
and edges by their place among them. So a row becomes a place by binary search and a place becomes
a row by indexing, vectors of a region are one gather, and what is computed on it costs its own
size.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoptrail.core.algorithms.incidence import Incidence, ScoreEdges
from hoptrail.core.algorithms.neighbourhood import Caps, Neighbourhood, expand_each
from hoptrail.core.algorithms.relation_paths import LabelledEdges, walks_along
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.names import predicate_words
from hoptrail.core.types import Hit, Path
from hoptrail.retrievers.base.per_generation import PerGeneration
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.stores.knowledge_source import KnowledgeSource
from hoptrail.stores.snapshot.graph_index import GraphIndex


@dataclass(frozen=True, slots=True)
class Region:
    """Entities and relations of a neighbourhood; node and edge i of `graph` are row i of each.

    Attributes:
        entities: Rows as in `GraphIndex`, ascending, shape (n,).
        hops: Distance of each to the nearest start, shape (n,).
        relations: Rows as in `GraphIndex`, ascending, shape (m,).
        graph: The same with places as numbers.
    """

    entities: IntArray
    hops: IntArray
    relations: IntArray
    graph: Incidence

    @classmethod
    def around(cls, view: View, starts: Iterable[int], score: ScoreEdges, caps: Caps) -> Region:
        """Expand from entities along the best scored relations, as far as the caps allow.

        Args:
            view: The knowledge base.
            starts: Rows of entities.
            score: Gives the score of relation rows; those that share a vector must score the same.
            caps: The bounds.
        """
        rows = np.array(sorted(set(starts)), dtype=np.int32)
        (found,) = expand_each(view.index.graph, [rows], score, caps, view.hubs)
        return cls._of(view.index, found)

    @classmethod
    def around_each(
        cls, view: View, entities: Sequence[int], score: ScoreEdges, caps: Caps
    ) -> list[Region]:
        """Return the region around each of some entities, expanded in one run.

        The caps are those of each region, but they share the seconds.
        """
        starts = [np.array([entity], dtype=np.int32) for entity in entities]
        found = expand_each(view.index.graph, starts, score, caps, view.hubs)
        return [cls._of(view.index, neighbourhood) for neighbourhood in found]

    @classmethod
    def _of(cls, index: GraphIndex, found: Neighbourhood) -> Region:
        order = np.argsort(found.nodes)
        entities = found.nodes[order]
        source = np.searchsorted(entities, index.relation_source[found.edges])
        target = np.searchsorted(entities, index.relation_target[found.edges])
        graph = Incidence.of(source.astype(np.int32), target.astype(np.int32), len(entities))
        return cls(entities, found.hops[order], found.edges, graph)

    def without(self, entities: Iterable[int]) -> Region:
        """Return the region without some entity rows and the relations that touch them."""
        is_kept = ~np.isin(self.entities, np.fromiter(entities, dtype=np.int32))
        graph = self.graph
        edges = np.flatnonzero(is_kept[graph.source] & is_kept[graph.target])
        places = np.cumsum(is_kept).astype(np.int32) - 1
        rest = Incidence.of(
            places[graph.source[edges]], places[graph.target[edges]], int(is_kept.sum())
        )
        return Region(self.entities[is_kept], self.hops[is_kept], self.relations[edges], rest)

    def between_starts(self, length: int) -> Region:
        """Return the region with only those relations that a path between starts may take.

        Args:
            length: Most relations in such a path.
        """
        graph = self.graph
        kept = np.flatnonzero(self.hops[graph.source] + 1 + self.hops[graph.target] <= length)
        rest = Incidence.of(graph.source[kept], graph.target[kept], len(self.entities))
        return Region(self.entities, self.hops, self.relations[kept], rest)

    def places(self, rows: Iterable[int]) -> IntArray:
        """Return the node numbers of those entity rows that the region holds, in their order."""
        wanted = np.fromiter(rows, dtype=np.int32)
        if len(self.entities) == 0:
            return np.zeros(0, dtype=np.int32)
        places = np.minimum(np.searchsorted(self.entities, wanted), len(self.entities) - 1)
        found: IntArray = places[self.entities[places] == wanted].astype(np.int32)
        return found


def relation_scorer(view: View, vector: FloatArray) -> ScoreEdges:
    """Return what scores relation rows by their similarity to a vector, shape (dim,)."""
    return view.vectors["relation"].scorer(vector)


def shared_vectors(
    kb: KnowledgeSource, view: View, texts: Mapping[int, str]
) -> dict[int, FloatArray]:
    """Return the vectors that the base holds of texts of predicates, by the predicate's number.

    A predicate is left out where its first relation has a text of its own, or where the base reads
    its name in other words.

    Args:
        kb: The knowledge base.
        view: Its present generation.
        texts: How predicates are read, by number.
    """
    rows = first_relations.of(kb, view)[list(texts)]
    ids = [str(id_) for id_ in view.index.relation_ids[rows]]
    known = {relation.id: relation for relation in view.store.relations(ids)}
    vectors = view.vectors["relation"].vectors_at(rows)
    return {
        predicate: vector
        for (predicate, text), id_, vector in zip(texts.items(), ids, vectors, strict=True)
        if id_ in known
        and known[id_].is_bare
        and predicate_words(known[id_].predicate) == text
        and vector.any()
    }


def _first_relations(kb: KnowledgeSource, view: View) -> IntArray:
    """Return the first relation of each predicate, shape (p,)."""
    predicates = view.index.relation_predicate
    first = np.zeros(len(view.index.predicates), dtype=np.int32)
    first[predicates[::-1]] = np.arange(len(predicates), dtype=np.int32)[::-1]  # the last one stays
    return first


first_relations = PerGeneration(_first_relations)


_EDGES = 20_000  # looked at for one step; bounds what a hub costs
_DECIMALS = 5


def labelled_edges(view: View) -> LabelledEdges:
    """Return the whole graph as edges with predicates, the same for all questions of a view."""
    found = view.derived.get(LabelledEdges)
    if not isinstance(found, LabelledEdges):
        index = view.index
        view.derived[LabelledEdges] = found = LabelledEdges(
            index.entity_relations.indptr,
            index.entity_relations.indices,
            index.relation_source,
            index.relation_target,
            index.relation_predicate,
        )
    return found


def steps_of(graph: LabelledEdges, path: FoundPath) -> tuple[int, ...]:
    """Return a path's steps as in `RelationPath`."""
    return tuple(
        2 * int(graph.predicate[row]) + (int(graph.target[row]) == here)
        for here, row in zip(path.entities, path.relations, strict=False)
    )


def with_sets(
    view: View, paths: Sequence[FoundPath], *, anchors: Collection[int], most: int
) -> list[FoundPath]:
    """Return the complete paths, all others that take the same steps, and then the partial ones.

    The predicates of a graph without passages are a vocabulary: what holds for one path holds for
    those with the same start and steps, and a set-valued answer is the ends of all of them. A path
    that goes on where a complete one ends, stops on the way to it or passes another anchor, from
    where it is found as well, adds nothing.

    Args:
        view: The knowledge base.
        paths: Judged paths, best first.
        anchors: Entity rows that count in any case.
        most: Entities in all; a path that would exceed it is left out.
    """
    graph = labelled_edges(view)
    paths = [path for path in paths if not set(anchors).intersection(path.entities[1:-1])]
    kinds = [(path.entities[0], *steps_of(graph, path)) for path in paths]
    complete = {k for k, path in zip(kinds, paths, strict=True) if path.verdict == "complete"}
    ends = {kind for kind in complete if not _goes_beyond(kind, complete)}
    whole: list[FoundPath] = []
    partial: list[FoundPath] = []
    for kind, path in zip(kinds, paths, strict=True):
        if kind in ends:
            whole.append(path)
        elif not _goes_beyond(kind, ends) and not any(_goes_beyond(end, {kind}) for end in ends):
            partial.append(path)
    alike = [
        one for kind in sorted(ends, key=lambda k: (len(k), k)) for one in _set_of(graph, kind)
    ]
    score = max((path.score for path in whole), default=0.0)
    alike = [replace(path, score=score) for path in alike]
    return _within([*whole, *alike, *partial], anchors, most)


def _set_of(graph: LabelledEdges, kind: tuple[int, ...]) -> list[FoundPath]:
    """Return one path to each end of a kind of path, which is its start and its steps."""
    walks = walks_along(graph, kind[0], kind[1:], limit=_EDGES)
    return [FoundPath(walk.nodes, walk.edges, 0.0, "complete") for walk in walks]


def _within(paths: Sequence[FoundPath], anchors: Collection[int], most: int) -> list[FoundPath]:
    """Return the paths that fit, one for each pair of ends where they are complete."""
    entities = set(anchors)
    reached: set[tuple[int, int]] = set()
    found: list[FoundPath] = []
    for path in paths:
        pair = path.entities[0], path.entities[-1]
        together = entities.union(path.entities)
        if pair not in reached and len(together) <= most:
            entities = together
            reached |= {pair} if path.verdict == "complete" else set()
            found.append(path)
    return found


def _goes_beyond(kind: tuple[int, ...], others: Collection[tuple[int, ...]]) -> bool:
    """Return whether another kind of path (its start and steps) is a proper beginning of one."""
    return any(kind[:end] in others for end in range(2, len(kind)))


@dataclass(frozen=True, slots=True)
class FoundPath:
    """A path by rows of `GraphIndex`: relation i joins entities i and i + 1."""

    entities: tuple[int, ...]
    relations: tuple[int, ...]
    score: float = 0.0
    verdict: str | None = None


def path_hits(view: View, paths: Sequence[FoundPath], channel: str) -> tuple[Hit[Path], ...]:
    """Return the paths in order; one with a relation that was deleted meanwhile is left out.

    A hit's provenance is the id of the entity where the path starts, its hop the path's length.
    """
    rows = sorted({row for path in paths for row in path.relations})
    ids = view.index.relation_ids
    known = {item.id: item for item in view.store.relations([str(ids[row]) for row in rows])}
    hits: list[Hit[Path]] = []
    for path in paths:
        relations = [known.get(str(ids[row])) for row in path.relations]
        if all(relations):
            score = round(path.score, _DECIMALS)
            item = Path(tuple(r for r in relations if r is not None), score, path.verdict)
            start = str(view.index.entity_ids[path.entities[0]])
            hits.append(Hit(item, score, channel, len(path.relations), (start,)))
    return tuple(hits)


def found_path(view: View, hit: Hit[Path]) -> FoundPath:
    """Return a path by rows; its entities are read off its relations from its start on."""
    index, relations = view.index, hit.item.relations
    rows = index.relation_rows([relation.id for relation in relations]).tolist()
    [here] = index.entity_rows(list(hit.provenance[:1])).tolist()
    entities = [here]
    for row in rows:
        source, target = int(index.relation_source[row]), int(index.relation_target[row])
        here = target if source == here else source
        entities.append(here)
    return FoundPath(tuple(entities), tuple(rows), hit.score, hit.item.verdict)
