"""Paths by rows and as hits; what takes the same steps answers the same question."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from hoptrail.core.algorithms.relation_paths import LabelledEdges, walks_along
from hoptrail.core.types import Hit, Path
from hoptrail.retrievers.base.snapshot_view import View

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
