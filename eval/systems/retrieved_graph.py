"""The graph that a piece of evidence spans, and how near its nodes come to the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hoptrail.core.text import name_key
from hoptrail.core.types import Evidence, JsonDict, Relation
from hoptrail.eval.questions.question import Question
from hoptrail.services.request_services import StoredVectorEmbedder
from hoptrail.stores.knowledge_source import KnowledgeSource


@dataclass(frozen=True, slots=True)
class RetrievedGraph:
    """An undirected simple graph of names.

    `nodes` holds one spelling by `name_key`, `edges` pairs of keys in order, without loops.
    """

    nodes: Mapping[str, str]
    edges: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, evidence: Evidence) -> RetrievedGraph:
        """Return the entities of the evidence and the ends of its relations, also on paths."""
        relations = list(_relations(evidence))
        names = [hit.item.name for hit in evidence.entities]
        names += [name for relation in relations for name in (relation.subject, relation.object)]
        nodes: dict[str, str] = {}
        for name in names:
            nodes.setdefault(name_key(name), name)
        pairs = ((name_key(item.subject), name_key(item.object)) for item in relations)
        return cls(nodes, frozenset((min(ends), max(ends)) for ends in pairs if len({*ends}) == 2))

    def to_json(self) -> JsonDict:
        """Return the names as a list, and the edges as pairs of places in it."""
        place = {key: number for number, key in enumerate(self.nodes)}
        edges = sorted([place[source], place[target]] for source, target in self.edges)
        return {"nodes": list(self.nodes.values()), "edges": edges}


def _relations(evidence: Evidence) -> Iterator[Relation]:
    yield from (hit.item for hit in evidence.relations)
    for path in evidence.paths:
        yield from path.item.relations


def nearest_node(
    question: Question, graph: RetrievedGraph | None, kb: KnowledgeSource
) -> float | None:
    """Return the highest cosine of a node's name and an accepted answer.

    It is 1 without any embedding where a node has an answer's name, and None where there are no
    nodes or the answer is no name. Blocking.
    """
    if graph is None or not graph.nodes or question.is_open:
        return None
    if question.is_yes_no or question.is_unanswerable:
        return None
    if any(name_key(form) in graph.nodes for form in question.accepted):
        return 1.0
    embedder = StoredVectorEmbedder(kb)
    nodes = embedder.embed(list(graph.nodes.values()))
    answers = embedder.embed(question.accepted)
    return round(float((nodes @ answers.T).max()), 4)
