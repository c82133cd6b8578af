"""Knowledge bases that tests publish to servers, and what other tools see of them there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hoptrail.core.types import Chunk, Community, Document, Entity, Finding, NodeUsage, Relation
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.testing import HashingEmbedder

_PUBLIC_NODES = """CYPHER 5 MATCH (n:Document|Chunk|__Entity__|Community {kb: $kb})
    RETURN labels(n) AS labels, properties(n) AS properties"""
_PUBLIC_EDGES = """CYPHER 5 MATCH (a {kb: $kb})-[r]->(b) WHERE a.id IS NOT NULL AND b.id IS NOT NULL
    RETURN a.id AS start, type(r) AS type, b.id AS end, properties(r) AS properties"""


class TownBase:
    """A base of towns that lie on one road, each with a document.

    Args:
        folder: Where its files go.
        towns: How many it has to begin with.
    """

    def __init__(self, folder: Path, towns: int = 6) -> None:
        self._folder = folder
        self.embedder = HashingEmbedder()
        self.kb = KnowledgeBase.open(folder, embedder=self.embedder, create=True)
        self._towns = {number: f"Town {number} has a mill." for number in range(towns)}
        for number in self._towns:
            self._put(number)
        self.publish()

    def reopen(self) -> None:
        """Open it again after `kb.close()`, while which another process could write it."""
        self.kb = KnowledgeBase.open(self._folder, embedder=self.embedder, writable=True)

    def say(self, number: int, text: str) -> None:
        """Add a town with this text, or replace what is said of it; to be published."""
        self._towns[number] = text
        self._put(number)

    def forget(self, number: int) -> None:
        """Delete a town; to be published."""
        del self._towns[number]
        self.kb.delete_documents([_document_id(number)])

    def publish(self, communities: bool = True) -> None:
        """Derive the graph anew and publish it in the folder."""
        entities, relations = self._graph()
        self.kb.replace_graph(entities, relations, [])
        if communities:
            self._cluster(entities)
        missing = self.kb.texts_without_vectors()
        if missing:
            self.kb.put_embeddings(missing, self.embedder.embed(missing))
        self.kb.publish()

    def _put(self, number: int) -> None:
        text = self._towns[number]
        document = Document(_document_id(number), f"Town {number}", text, "s", None, {"n": "1"})
        half = len(text) // 2
        self.kb.put_document(
            document, [_chunk(document, 0, half), _chunk(document, half, len(text))]
        )

    def _graph(self) -> tuple[list[Entity], list[Relation]]:
        chunks: dict[str, list[str]] = {}
        for chunk in self.kb.iter_chunks():
            chunks.setdefault(chunk.doc_id, []).append(chunk.id)
        entities = [
            Entity(
                f"e{number}",
                f"Town {number}",
                "market town" if number % 2 else "Chunk",
                self._towns[number],
                (f"Old Town {number}",),
                tuple(chunks[_document_id(number)]),
            )
            for number in self._towns
        ]
        numbers = sorted(self._towns)
        relations = [
            Relation(f"r{a}-{b}", f"e{a}", "lies next to", f"e{b}", chunk_ids=entity.chunk_ids[:1])
            for a, b, entity in zip(numbers, numbers[1:], entities, strict=False)
        ]
        relations += [Relation(f"b{n}", f"e{n}", "mentions", f"e{numbers[0]}") for n in numbers]
        return entities, relations

    def _cluster(self, entities: Iterable[Entity]) -> None:
        ids = [entity.id for entity in entities]
        root = Community("c0", 0, size=len(ids))
        leaves = [
            Community(f"c0.{part}", 1, parent="c0", entity_ids=tuple(ids[part::2]))
            for part in range(2)
        ]
        keys = {leaf.id: f"{leaf.id}:{len(leaf.entity_ids)}" for leaf in (root, *leaves)}
        self.kb.replace_communities([root, *leaves], keys)
        report = Community("c0", 0, "The road", "All towns of the road.", 5.0, "", (Finding("x"),))
        self.kb.put_report(keys["c0"], report, maker="test", usage=NodeUsage())


def _document_id(number: int) -> str:
    return f"s/town-{number}.md"


def _chunk(document: Document, start: int, end: int) -> Chunk:
    text = document.text[start:end]
    id_ = Chunk.make_id(document.id, start, end, text)
    return Chunk(id_, document.id, document.title, text, start, end, tokens=3)


def public_content(connection: Connection, kb: str) -> dict[str, Any]:
    """Return what other tools see of a base, the same for equal bases of any name and history."""
    nodes = {}
    for row in connection.read(_PUBLIC_NODES, kb=kb):
        own = f"{kb}/"
        properties = {
            name: value
            for name, value in row["properties"].items()
            if name not in ("born", "kb", "embedding")
        }
        embedding = row["properties"].get("embedding")
        if embedding is not None:
            properties["embedding"] = np.round(embedding, 5).tolist()
        labels = [one for one in row["labels"] if not one.startswith(f"{kb}_")]
        id_ = properties.pop("id")
        assert id_ == own + properties["item_id"]
        kind = "document" if "Document" in labels else min(labels)
        nodes[kind, properties["item_id"]] = (sorted(labels), properties)
    edges = sorted(
        (
            row["start"].removeprefix(f"{kb}/"),
            row["type"],
            row["end"].removeprefix(f"{kb}/"),
            str(
                sorted(
                    (k, v) for k, v in row["properties"].items() if k not in ("born", "kb", "id")
                )
            ),
        )
        for row in connection.read(_PUBLIC_EDGES, kb=kb)
    )
    return {"nodes": nodes, "edges": edges}
