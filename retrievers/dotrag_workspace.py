"""One DOT: anchors, the graph around them, and the vectors of its entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, Self, runtime_checkable

import numpy as np

from hoptrail.core.algorithms.path_verdicts import (
    COMPLETE_SIMILARITY,
    PARTIAL_SIMILARITY,
    path_similarities,
    verdict_at,
)
from hoptrail.core.algorithms.relation_paths import LabelledEdges, Walk, walks_along
from hoptrail.core.algorithms.yen import PathFinder
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.paths import FoundPath, Region, steps_of

_EDGES = 20_000  # looked at from all ends of one path
_OF_A_KIND = 2  # paths that lead on by one predicate: one may be an exception

_FOLLOWED = 3


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps that lead on from a path.

    Attributes:
        walks: What each step continues.
        edges: Place of its relation, shape (n,).
        kinds: Its predicate and direction, shape (n,).
        others: Place of the entity that it leads to, shape (n,).
    """

    walks: Sequence[Walk]
    edges: IntArray
    kinds: IntArray
    others: IntArray


@dataclass(frozen=True, slots=True)
class Dot:
    """A workspace; its vector store is a slice of the knowledge base's matrix.

    Attributes:
        region: The graph around the anchors.
        view: The generation of the knowledge base that rows belong to.
        anchors: Rows of the anchors with their weights.
        vectors: Of the region's entities, shape (n, dim); zeros without a name.
        finder: Searches paths in the region.
        labelled: The region's relations with their predicates, by place.
    """

    view: View
    region: Region
    anchors: Mapping[int, float]
    vectors: FloatArray
    finder: PathFinder
    labelled: LabelledEdges

    @classmethod
    def over(cls, view: View, region: Region, anchors: Mapping[int, float]) -> Self:
        """Take up a region; every relation is one step."""
        vectors = view.vectors["entity"].vectors_at(region.entities)
        costs = np.ones(len(region.relations), dtype=np.float32)
        graph = region.graph
        predicates = view.index.relation_predicate[region.relations]
        labelled = LabelledEdges(graph.indptr, graph.edges, graph.source, graph.target, predicates)
        return cls(view, region, anchors, vectors, PathFinder(graph, costs), labelled)

    def targets(
        self, queries: Sequence[FloatArray], seen: Collection[int], most: int
    ) -> list[tuple[int, float]]:
        """Return the entity rows nearest to any query, with their similarity, best first.

        Args:
            queries: Unit vectors, shape (dim,) each.
            seen: Entity rows to leave out; anchors are left out anyway.
            most: How many.
        """
        if not queries or len(self.region.entities) == 0:
            return []
        scores = (self.vectors @ np.stack(queries, axis=1)).max(axis=1)
        is_open = ~np.isin(self.region.entities, [*seen, *self.anchors])
        places = np.flatnonzero(is_open & (scores > 0))
        order = np.lexsort((places, -np.round(scores[places], 5)))[:most]
        best = places[order]
        return list(zip(self.region.entities[best].tolist(), scores[best].tolist(), strict=True))

    def paths_to(
        self, targets: Sequence[tuple[int, float]], *, per_anchor: int, most: int
    ) -> list[FoundPath]:
        """Return the shortest loopless paths from every anchor to the targets.

        Those to the best targets come first; a path's score is its target's.

        Args:
            targets: Entity rows with scores, best first.
            per_anchor: Paths from one anchor to one target.
            most: Paths in all.
        """
        ends = self.region.places(row for row, _ in targets)
        starts = self.region.places(sorted(self.anchors))
        distances = self.finder.distances(ends)
        found: list[FoundPath] = []
        for (_, score), end, bound in zip(targets, ends.tolist(), distances, strict=True):
            for start in _nearest_first(starts, bound):
                for route in self.finder.shortest(start, end, per_anchor, to_target=bound):
                    entities = tuple(self.region.entities[list(route.nodes)].tolist())
                    relations = tuple(self.region.relations[list(route.edges)].tolist())
                    found.append(FoundPath(entities, relations, score))
                if len(found) >= most:
                    return found[:most]
        return found

    def onward(
        self, paths: Sequence[FoundPath], queries: Sequence[FloatArray], most: int
    ) -> list[FoundPath]:
        """Return paths that go one relation further than these, nearest relations first.

        By each predicate and direction a path leads on to its two nearest ends; all of them have
        their first turn before one has its second. In a graph without passages a path stands for
        all that take its steps (`with_sets`), and goes on from wherever they end.

        Args:
            paths: Of this workspace; one without relations begins at its only entity.
            queries: Unit vectors, shape (dim,) each; a path's score is its last relation's.
            most: How many.
        """
        if not queries:
            return []
        kinds = {key: path for path in reversed(paths) if (key := self._kind_of(path)) is not None}
        steps = [self._steps_from(path) for path in kinds.values()]
        if not steps:
            return []
        # Of all paths at once: a server is asked for the vectors.
        scores = self._relation_scores(np.concatenate([one.edges for one in steps]), queries)
        ends = np.cumsum([len(one.edges) for one in steps])
        parts = zip(steps, np.split(scores, ends[:-1]), strict=True)
        found = [way for one, own in parts for way in self._extended(one, own)]
        found.sort(key=lambda one: (one[0], -round(one[1].score, 5), one[1].relations))
        return list({path.relations: path for _, path in found}.values())[:most]

    def _kind_of(self, path: FoundPath) -> tuple[int, ...] | None:
        """Return a key of paths that the same paths extend; None outside of the region."""
        places = self.region.places(path.entities)
        if len(places) < len(path.entities):
            return None
        if self.view.has_passages:
            return path.relations or path.entities
        return path.entities[0], *steps_of(self.labelled, self._inside(path))

    def _inside(self, path: FoundPath) -> FoundPath:
        """Return a path by places instead of rows."""
        relations = np.searchsorted(self.region.relations, path.relations)
        return FoundPath(
            tuple(self.region.places(path.entities).tolist()), tuple(relations.tolist())
        )

    def _steps_from(self, path: FoundPath) -> _Steps:
        own = self._inside(path)
        walks = [Walk(own.entities, own.relations)]
        if not self.view.has_passages:
            steps = steps_of(self.labelled, own)
            walks = walks_along(self.labelled, own.entities[0], steps, limit=_EDGES)
        ends = np.array([walk.nodes[-1] for walk in walks], dtype=np.int32)
        places, edges, kinds, others = self.labelled.steps_from(ends, _EDGES)
        return _Steps([walks[place] for place in places.tolist()], edges, kinds, others)

    def _extended(self, steps: _Steps, scores: FloatArray) -> list[tuple[int, FoundPath]]:
        """Return the ways on from a path, each with its turn among those of its predicate."""
        turns: Counter[int] = Counter()
        found: list[tuple[int, FoundPath]] = []
        for i in np.lexsort((steps.edges, -np.round(scores, 5))).tolist():
            walk, kind, other = steps.walks[i], int(steps.kinds[i]), int(steps.others[i])
            if turns[kind] < _OF_A_KIND and other not in walk.nodes:
                edges = [*walk.edges, int(steps.edges[i])]
                entities = tuple(self.region.entities[[*walk.nodes, other]].tolist())
                relations = tuple(self.region.relations[edges].tolist())
                found.append((turns[kind], FoundPath(entities, relations, float(scores[i]))))
                turns[kind] += 1
        return found

    def _relation_scores(self, places: IntArray, queries: Sequence[FloatArray]) -> FloatArray:
        rows, back = np.unique(self.region.relations[places], return_inverse=True)
        vectors = self.view.vectors["relation"].vectors_at(rows)
        scores: FloatArray = (vectors @ np.stack(queries, axis=1)).max(axis=1)[back]
        return scores


def _nearest_first(
    starts: IntArray, distances: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> list[int]:
    order = np.lexsort((starts, distances[starts]))
    return [int(start) for start in starts[order]]


@dataclass(frozen=True, slots=True)
class Judged:
    """Paths with verdicts (`complete`, `partial`, `irrelevant`), and what to look for next.

    `queries` are unit vectors, shape (dim,) each; none ends the search.
    """

    paths: tuple[FoundPath, ...]
    queries: tuple[FloatArray, ...] = ()


@runtime_checkable
class PathJudge(Protocol):
    """Judges the paths of one round."""

    def judge(self, view: View, paths: Sequence[FoundPath], question: FloatArray) -> Judged:
        """Return the paths with verdicts and scores, and the next round's queries."""
        ...


@dataclass(frozen=True, slots=True)
class SimilarityJudge:
    """Judges a path by the similarity of its relations to the question.

    A path is complete from `complete`, irrelevant below `partial`. The ends of the best partial
    paths are mixed into the question for the next round.

    Attributes:
        complete: Least similarity of a complete path.
        partial: Least similarity of a path that is kept.
    """

    complete: float = COMPLETE_SIMILARITY
    partial: float = PARTIAL_SIMILARITY

    def judge(self, view: View, paths: Sequence[FoundPath], question: FloatArray) -> Judged:
        """Return the paths with verdicts and scores, best first, and the next queries."""
        relations = np.unique([row for path in paths for row in path.relations]).astype(np.int32)
        places = [np.searchsorted(relations, path.relations).tolist() for path in paths]
        vectors = view.vectors["relation"].vectors_at(relations)
        scores = path_similarities(vectors, places, question)
        judged = [
            replace(path, score=score, verdict=verdict_at(score, self.complete, self.partial))
            for path, score in zip(paths, scores.tolist(), strict=True)
        ]
        judged.sort(key=lambda path: (-round(path.score, 5), path.relations))
        ends = [path.entities[-1] for path in judged if path.verdict == "partial"]
        rows = np.array(list(dict.fromkeys(ends))[:_FOLLOWED], dtype=np.int32)
        vectors = view.vectors["entity"].vectors_at(rows)
        mixed = vectors + question
        lengths = np.linalg.norm(mixed, axis=1, keepdims=True)
        return Judged(tuple(judged), tuple(mixed / np.maximum(lengths, 1e-9)))
