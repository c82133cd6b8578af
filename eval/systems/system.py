"""Systems under measurement: each takes a question and shows what it found or answered.

The graph that a piece of evidence spans, and how near its nodes come to the answer, are here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Evidence, Hit, JsonDict, Relation
from hoptrail.eval.questions.question import Question
from hoptrail.services.request_services import StoredVectorEmbedder
from hoptrail.stores.knowledge_source import KnowledgeSource

RANKED_DOCUMENTS = 10
"""The deepest ranking that a metric looks at."""


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


@dataclass(frozen=True, slots=True)
class Response:
    """A system's answer; `answers` best first, empty where it abstained."""

    answer: str = ""
    answers: tuple[str, ...] = ()
    abstained: bool = False


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """Evidence and answer of a system for one question.

    Attributes:
        record: Its `ask` or `retrieve` object with `passages`; without them, nothing is ranked.
        context: The evidence as rendered for the answerer; None where it shows none.
        context_retrieved: The same before compression.
        response: What it answered; None for a retriever.
        graph: The retrieved nodes and edges; None where it retrieves text only.
        node_similarity: Highest cosine of a retrieved node and a gold answer, where known.
    """

    record: JsonDict
    context: str | None = ""
    context_retrieved: str | None = None
    response: Response | None = None
    graph: RetrievedGraph | None = None
    node_similarity: float | None = None


class System(Protocol):
    """A retriever or a preset under measurement."""

    @property
    def name(self) -> str:
        """Name of the measured method, such as `retriever:ket`."""
        ...

    @property
    def headline(self) -> str:
        """Name of the metric to watch."""
        ...

    async def run(self, question: Question) -> SystemOutput:
        """Return what the system makes of a question."""
        ...

    def crashed(self) -> SystemOutput:
        """Return the outcome that stands for a crash: nothing found, nothing answered."""
        ...


def ranked_passages(hits: Iterable[Hit[Chunk]], documents: int) -> list[Hit[Chunk]]:
    """Return the first passages, until so many distinct documents are among them."""
    seen: set[str] = set()

    def is_wanted(hit: Hit[Chunk]) -> bool:
        if len(seen) == documents and hit.item.doc_id not in seen:
            return False
        seen.add(hit.item.doc_id)
        return True

    return list(takewhile(is_wanted, hits))


def ranked_documents(passages: Sequence[JsonDict] | None) -> tuple[str, ...] | None:
    """Return the document ids of a row's `passages`; None where it has no such list."""
    if passages is None:
        return None
    return tuple(dict.fromkeys(passage["doc_id"] for passage in passages))
