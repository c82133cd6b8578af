"""Imports a graph that somebody has in Neo4j: its texts as documents, its nodes and relationships.

A node with a text property becomes a document, a node with a name an entity of the type that its
first label says, and a relationship between entities a relation. What stands at a node that has a
text is said of that text; the rest is said of the graph as a whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hoptrail.core.errors import InputError
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.types import (
    Document,
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    NodeUsage,
)
from hoptrail.indexing.given_graphs.triples import split_by_chunk
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.documents import Source
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.report import ImportedIndex, RunLog
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.neo4j.connection import SCHEMES, Connection, ServerAddress
from hoptrail.stores.records.bare_graphs import TripleList

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

EXTRACTOR = "neo4j"
_STAGE = "import"
_REPORTED = 5_000
_CHOSEN = """NOT {n}:KnowledgeBase AND NOT {n}:__Past__
    AND (size($labels) = 0 OR any(one IN labels({n}) WHERE one IN $labels))"""
_NODES = f"""CYPHER 5 MATCH (n) WHERE {_CHOSEN.format(n="n")}
    RETURN elementId(n) AS node, [one IN labels(n) WHERE NOT one STARTS WITH '_'] AS labels,
        [one IN $names WHERE n[one] IS NOT NULL | [one, toStringOrNull(n[one])]] AS names,
        [one IN $texts WHERE n[one] IS NOT NULL | toStringOrNull(n[one])] AS texts,
        toStringOrNull(n.description) AS description, toStringOrNull(n.id) AS id"""
_RELATIONSHIPS = f"""CYPHER 5 MATCH (a)-[r]->(b)
    WHERE {_CHOSEN.format(n="a")} AND {_CHOSEN.format(n="b")}
    RETURN elementId(a) AS source, type(r) AS type, elementId(b) AS target"""


@dataclass(slots=True)
class _Node:
    """A node of the graph, as far as it is used."""

    entity: ExtractedEntity | None
    text: str
    key: str
    labels: list[str]


@dataclass(slots=True)
class _Told:
    """The statements of the graph on one text."""

    entities: list[ExtractedEntity] = field(default_factory=list)
    relations: list[ExtractedRelation] = field(default_factory=list)

    def extraction(self) -> Extraction:
        """Return it, each thing once."""
        return Extraction(tuple(dict.fromkeys(self.entities)), tuple(dict.fromkeys(self.relations)))


def split_addresses(inputs: Iterable[Source]) -> tuple[list[str], list[Source]]:
    """Return the inputs that are addresses of Neo4j databases, and the others."""
    addresses: list[str] = []
    others: list[Source] = []
    for item in inputs:
        if isinstance(item, str) and item.partition("://")[0] in SCHEMES:
            addresses.append(item)
        else:
            others.append(item)
    return addresses, others


def import_graphs(
    kb: KnowledgeBase,
    addresses: Iterable[str],
    options: IndexOptions,
    log: RunLog,
    progress: Progress,
) -> None:
    """Store the graphs at these addresses.

    Args:
        kb: The knowledge base, open for writing.
        addresses: `neo4j://host:port/database`; user and password stand in the environment.
        options: Which labels are read, and which properties hold names and texts.
        log: Gets the documents and what was imported.
        progress: Observer.

    Raises:
        StoreError: If a server cannot be used.
        InputError: If a graph has nothing that the options choose.
    """
    for url in addresses:
        progress.start(_STAGE, None)
        address = ServerAddress.parse(url)
        with log.timed("load"):
            graph = _Graph.read(address, options, progress)
        with log.timed("store"), kb.transaction():
            graph.store(kb, options, log)
        progress.finish(_STAGE)


def graph_documents(addresses: Iterable[str], options: IndexOptions) -> list[Document]:
    """Return the documents that an import of the graphs at these addresses would store.

    Raises:
        StoreError: If a server cannot be used.
        InputError: If a graph has nothing that the options choose.
    """
    graphs = (_Graph.read(ServerAddress.parse(url), options, NoProgress()) for url in addresses)
    return [document for graph in graphs for document in graph.documents().values()]


class _Graph:
    """A graph that was read: nodes by the server's id, which is not kept, and relationships."""

    def __init__(self, address: ServerAddress, source: str) -> None:
        self._address = address
        self._source = source
        self._nodes: dict[str, _Node] = {}
        self._relationships: list[tuple[str, str, str]] = []

    @classmethod
    def read(cls, address: ServerAddress, options: IndexOptions, progress: Progress) -> _Graph:
        """Read all that the options choose, in one transaction.

        Raises:
            StoreError: If the server cannot be used.
            InputError: If nothing is chosen.
        """
        graph = cls(address, options.source or address.database or "neo4j")
        connection = Connection(address)

        def work(transaction: ManagedTransaction) -> None:
            graph._nodes, graph._relationships = {}, []
            labels = list(options.graph_labels)
            names, texts = list(options.name_properties), list(options.text_properties)
            rows = transaction.run(_NODES, labels=labels, names=names, texts=texts)
            for row in _counted(rows, progress):
                graph._nodes[row["node"]] = _node(row)
            rows = transaction.run(_RELATIONSHIPS, labels=labels)
            for row in _counted(rows, progress):
                graph._relationships.append((row["source"], _words(row["type"]), row["target"]))

        try:
            connection.reading(work)
        finally:
            connection.close()
        if not any(node.text or node.entity for node in graph._nodes.values()):
            raise InputError(
                f"{address} has no node with a name or text",
                hint="say with --label, --name-property and --text-property what to read",
            )
        return graph

    def store(self, kb: KnowledgeBase, options: IndexOptions, log: RunLog) -> None:
        """Store its texts as documents, with what is said of each, and the rest as one document."""
        told: dict[str, _Told] = {id_: _Told() for id_, node in self._nodes.items() if node.text}
        triples = self._tell(told)
        loose: dict[ExtractedEntity, None] = {}
        for id_, node in self._nodes.items():
            if node.entity is not None and id_ in told:
                told[id_].entities.append(node.entity)
            elif node.entity is not None:
                loose[node.entity] = None
        for id_, document in self.documents().items():
            chunks = chunk_document(document, options.chunk_tokens)
            log.outcomes[document.id] = kb.put_document(document, chunks)
            parts = split_by_chunk(told[id_].extraction(), [chunk.text for chunk in chunks])
            for chunk, part in zip(chunks, parts, strict=True):
                kb.put_extraction(document.id, chunk.id, EXTRACTOR, part, NodeUsage())
        self._store_rest(kb, list(loose), triples, log)
        relations = len(triples) + sum(len(one.relations) for one in told.values())
        log.imported.append(
            ImportedIndex(
                path=str(self._address),
                entities=sum(node.entity is not None for node in self._nodes.values()),
                untyped_entities=0,
                relations=relations,
                incomplete_relations=0,
                communities=0,
                reports=0,
            )
        )

    def _tell(self, told: dict[str, _Told]) -> list[tuple[str, str, str]]:
        """Add relationships to the texts that they belong to; return those of no text."""
        triples: list[tuple[str, str, str]] = []
        for source, predicate, target in self._relationships:
            ends = [self._nodes[source], self._nodes[target]]
            place = next((told[id_] for id_ in (source, target) if id_ in told), None)
            subject, object_ = (end.entity for end in ends)
            if subject is not None and object_ is not None:
                if place is None:
                    triples.append((subject.name, predicate, object_.name))
                else:
                    place.relations.append(ExtractedRelation(subject.name, predicate, object_.name))
            elif place is not None:
                place.entities += [end for end in (subject, object_) if end is not None]
        return triples

    def documents(self) -> dict[str, Document]:
        """Return the documents by node, in the order in which the nodes were read."""
        found: dict[str, Document] = {}
        keys: set[str] = set()
        for id_, node in self._nodes.items():
            if node.text:
                key = node.key if node.key not in keys else f"{node.key}-{_hash(node.text)}"
                keys.add(key)
                found[id_] = Document(
                    f"{self._source}/{key}",
                    node.entity.name if node.entity else key,
                    node.text,
                    self._source,
                    str(self._address),
                    {"labels": ", ".join(node.labels)} if node.labels else {},
                )
        return found

    def _store_rest(
        self,
        kb: KnowledgeBase,
        entities: Sequence[ExtractedEntity],
        triples: Sequence[tuple[str, str, str]],
        log: RunLog,
    ) -> None:
        if not entities and not triples:
            return
        id_ = f"{self._source}/graph"
        document = Document(id_, self._source, "", self._source, str(self._address))
        log.outcomes[id_] = kb.put_document(document, [])
        listed = _triple_list(triples)
        digest = hashlib.sha256(repr((listed.nodes, sorted(set(triples)))).encode()).hexdigest()
        if kb.triple_digests().get(id_) != digest:
            kb.put_triples(id_, digest, listed)
        # The triples have no types and no descriptions: the entities of the same names bring them.
        kb.put_extraction(id_, None, EXTRACTOR, Extraction(tuple(entities)), NodeUsage())


def _node(row: dict[str, Any]) -> _Node:
    text = "\n\n".join(filter(None, (_storable(text) for text in row["texts"])))
    # A text's id is a key, where another node's may be its name.
    names = [
        _storable(name) for property_, name in row["names"] if not (text and property_ == "id")
    ]
    name = next(filter(None, names), "")
    labels = sorted(row["labels"])
    key = _storable(row["id"]) or name or _hash(text)
    if not name:
        return _Node(None, text, key, labels)
    type_ = _words(labels[0]) if labels else ""
    entity = ExtractedEntity(name, type_, _storable(row["description"]))
    return _Node(entity, text, key, labels)


def _storable(value: str | None) -> str:
    return (value or "").replace("\0", " ").strip()


def _words(name: str) -> str:
    """Return a label or relationship type as words: `DIRECTED_BY` as "directed by"."""
    words = name.replace("_", " ").strip()
    return words.lower() if words.isupper() else words


def _triple_list(triples: Sequence[tuple[str, str, str]]) -> TripleList:
    nodes: dict[str, int] = {}
    predicates: dict[str, int] = {}
    rows = [
        (
            nodes.setdefault(subject, len(nodes)),
            predicates.setdefault(predicate, len(predicates)),
            nodes.setdefault(object_, len(nodes)),
        )
        for subject, predicate, object_ in sorted(set(triples))
    ]
    return TripleList(list(nodes), list(predicates), np.array(rows, dtype=np.int32).reshape(-1, 3))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]


def _counted(rows: Iterable[Any], progress: Progress) -> Iterator[Any]:
    for number, row in enumerate(rows, 1):
        yield row
        if number % _REPORTED == 0:
            progress.advance(_STAGE, _REPORTED)
