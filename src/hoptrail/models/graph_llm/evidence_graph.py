"""From retrieved evidence to the graph that the model is shown: in training and in use alike."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from hoptrail.core.types import Evidence, Relation
from hoptrail.models.graph_llm.graph_input import GraphInput

MOST_RELATIONS = 200
"""More than the model was shown in training; what comes later bears least on the question."""


def graph_of_evidence(evidence: Evidence) -> GraphInput:
    """Return the relations of the evidence with their ends, best first.

    The relations of paths follow those that were retrieved alone; each counts once, and no more
    than `MOST_RELATIONS`. Each entity is a node of its own, also where two have one name.
    """
    names: dict[str, str] = {}
    numbers: dict[str, int] = {}
    edges: list[tuple[int, str, int]] = []
    for relation in islice(_relations(evidence), MOST_RELATIONS):
        for entity, name in (
            (relation.source, relation.subject),
            (relation.target, relation.object),
        ):
            names.setdefault(entity, name)
            numbers.setdefault(entity, len(numbers))
        edges.append((numbers[relation.source], relation.predicate, numbers[relation.target]))
    return GraphInput(tuple(names.values()), tuple(edges))


def _relations(evidence: Evidence) -> Iterable[Relation]:
    alone = (hit.item for hit in evidence.relations)
    on_paths = (relation for hit in evidence.paths for relation in hit.item.relations)
    return {relation.id: relation for relation in chain(alone, on_paths)}.values()
