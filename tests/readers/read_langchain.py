"""Finds passages of a published base with langchain-neo4j; run by test_readers.py."""

from __future__ import annotations

from common import Request, answer
from langchain_core.embeddings import Embeddings
from langchain_neo4j import Neo4jVector


class Given(Embeddings):
    """Gives the vectors that the questions were sent with; to other texts any of that width."""

    def __init__(self, request: Request) -> None:
        self._vectors = request.vectors

    def embed_query(self, text: str) -> list[float]:
        known: dict[str, list[float]] = self._vectors
        return known.get(text) or next(iter(known.values()))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


def titles(request: Request) -> dict[str, list[str]]:
    store = Neo4jVector.from_existing_index(
        Given(request),
        url=request.uri,
        username=request.user,
        password=request.password,
        index_name=f"{request.space}_chunks",
        text_node_property="text",
    )
    return {
        question: [found.metadata["title"] for found in store.similarity_search(question, k=3)]
        for question in request.vectors
    }


answer(titles)
