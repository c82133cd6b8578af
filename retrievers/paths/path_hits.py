"""Paths through a region of the graph as hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.core.types import Hit, Path
from hoptrail.retrievers.base.snapshot_view import View

_DECIMALS = 5


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
